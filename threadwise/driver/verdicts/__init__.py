"""From checked evidence to what the report says: audits, assumptions, reasons.

- `auditing`      how many states the runs of an audit visit
- `doubting`      behaviour that the standards allow and users doubt: whether it is assumed away
- `misuse`        locks that a proof sees misused
- `weak_orders`   races by the memory orders of C, which no interleaving shows
- `stale_loads`   violations by loads that miss stores, which no interleaving shows
- `presumptions`  what evidence rests on besides the program
- `limits`        places where the model ends that runs may reach
- `vacuity`       statements that a proof shows to be unreachable
- `assumed_places`  what users assume of places that end the model
- `blocking`      why a property stays open
- `next_steps`    an option that helps with what stays UNKNOWN
"""
