"""From a `Result` to something to read: text for people, JSON for programs.

Nothing here prints; functions return strings or JSON values. `page` wraps the terminal library,
`trace_table` draws interleavings, `text` and `json_report` write whole reports.
"""
