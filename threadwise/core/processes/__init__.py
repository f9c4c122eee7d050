"""Work in processes of its own, under limits.

- `forked`      how processes begin, send messages and are ended
- `worker`      what the child process of supervised work does
- `supervisor`  runs work in a child process and enforces the limits from outside
- `grants`      a meter that waits for more steps instead of stopping
- `memory`      how much memory processes use, and when garbage is collected
- `machine`     what the machine offers
"""
