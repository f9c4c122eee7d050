"""Single runs under schedules that tend to show errors: engine.py runs, orders.py schedules."""
