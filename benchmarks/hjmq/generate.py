"""Writes the three drivers of the table: `python -m benchmarks.hjmq.generate`.

The drivers are in the style of a Linux network driver. Each is made of units (a transmitter, a
firmware loader, a filter), and a unit protects its data in one of these ways:

    counters     a spin lock                              statistics of all sorts
    table        a spin lock, with a search through it    address filters, flows
    machine      a spin lock around a state machine       link, autonegotiation, power
    staging      a flag: whoever sets it owns the buffer  transmission, bus transfers
    life         a state: one thread brings a unit up     the unit's configuration
    interrupt    enable bit and handler bit               what the handler and its settings share
    mailbox      EMPTY, FILLING, FULL, DRAINING           messages to and from the device
    varying      one of two locks, by the mode            what moves between two owners
    firmware     loaded once, then only read              images and tables

The last six protect data by state: flags are read and written under a lock, what they protect is
used without. With `-D BUG` one unit forgets to look at its flag. The files are kept with the
benchmarks, so that this need not run again; what the text of a unit says depends on its entry in
`UNITS` only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent


class Unit(NamedTuple):
    """A part of a driver: how it protects its data, what it is called, and of what it is made."""

    kind: str
    name: str
    about: str
    fields: tuple[str, ...]
    size: int = 4


UNITS = (
    Unit("counters", "tx", "transmission", ("packets", "bytes", "errors", "collisions")),
    Unit("staging", "tx", "frames on their way out", ("length", "kind", "check"), 6),
    Unit("life", "nic", "the interface", ("mtu", "duplex", "speed", "ring_size")),
    Unit("interrupt", "rx", "reception", ("head", "status", "moderation"), 8),
    Unit("mailbox", "cmd", "commands to the device", ("opcode", "argument")),
    Unit("varying", "filter", "the unicast filter", ("rule", "hits")),
    Unit("firmware", "boot", "the boot image", ("version", "checksum", "entry_point")),
    Unit("table", "mcast", "multicast addresses", ("address", "uses"), 8),
    Unit("machine", "link", "the link", ("probing", "training", "ready", "broken")),
    Unit("counters", "rx", "reception", ("packets", "bytes", "crc_errors", "overruns", "missed")),
    Unit("staging", "mii", "transfers on the management bus", ("phy", "number", "word"), 3),
    Unit("life", "phy", "the transceiver", ("identifier", "advertised", "partner")),
    Unit("mailbox", "event", "events from the device", ("source", "code", "stamp")),
    Unit("interrupt", "timer", "the device's timer", ("period", "drift"), 4),
    Unit("machine", "autoneg", "autonegotiation", ("idle", "page", "acknowledge", "done")),
    Unit("table", "vlan", "virtual networks", ("tag", "priority"), 16),
    Unit("varying", "queue", "the queue in use", ("depth", "credit", "weight")),
    Unit("firmware", "micro", "microcode of the scheduler", ("revision", "length")),
    Unit("staging", "nvram", "blocks of the configuration memory", ("offset", "width"), 8),
    Unit("counters", "bus", "the bus", ("reads", "writes", "retries")),
    Unit("life", "wol", "wake on lan", ("pattern", "mask", "armed_for")),
    Unit("interrupt", "mac", "the address unit", ("cause", "mask_word"), 4),
    Unit("machine", "power", "power management", ("full", "dozing", "asleep", "waking")),
    Unit("mailbox", "mgmt", "messages of the management unit", ("channel", "payload")),
    Unit("table", "flow", "flows that are offloaded", ("key", "target"), 12),
    Unit("varying", "led", "the lamps", ("pattern", "rate")),
    Unit("firmware", "phyfw", "code of the transceiver", ("release", "patch", "digest")),
    Unit("staging", "sg", "gather lists", ("pieces", "total"), 10),
    Unit("counters", "irq", "interrupts", ("taken", "spurious", "coalesced")),
    Unit("life", "dma", "the transfer engine", ("burst", "align", "limit")),
    Unit("interrupt", "dmae", "errors of the transfer engine", ("address", "syndrome"), 4),
    Unit("machine", "reset", "recovery from faults", ("healthy", "suspect", "resetting", "dead")),
    Unit("mailbox", "diag", "diagnosis", ("test", "result")),
    Unit("table", "arp", "addresses that are answered", ("host", "station"), 8),
    Unit("varying", "ptp", "the clock in use", ("seconds", "fraction")),
    Unit("firmware", "table", "translation tables", ("rows", "columns")),
    Unit("staging", "loop", "loopback tests", ("seed", "expected"), 6),
    Unit("counters", "flow", "flow control", ("pauses", "resumes")),
    Unit("life", "crypto", "the cipher unit", ("algorithm", "key_length", "nonce")),
    Unit("interrupt", "crypt", "the cipher unit's end of work", ("session", "left"), 6),
    Unit("machine", "scan", "the scan for partners", ("quiet", "listening", "joining", "joined")),
    Unit("mailbox", "host", "requests of the host", ("function", "reply")),
    Unit("table", "route", "routes in hardware", ("prefix", "next_hop"), 16),
    Unit("varying", "trace", "the trace buffer in use", ("cursor", "level")),
    Unit("firmware", "splash", "option ROM", ("vendor", "build")),
    Unit("staging", "dump", "register dumps", ("first", "count"), 8),
    Unit("counters", "pm", "power management", ("entries", "exits", "refusals")),
    Unit("life", "sriov", "virtual functions", ("functions", "queues")),
    Unit("interrupt", "vf", "messages of virtual functions", ("function", "message"), 4),
    Unit("machine", "train", "equaliser training", ("start", "coarse", "fine", "locked")),
    Unit("mailbox", "log", "lines for the log", ("severity", "line")),
    Unit("table", "rate", "rate limits", ("stream", "rate"), 8),
    Unit("varying", "buf", "the buffer pool in use", ("free", "low_water")),
    Unit("firmware", "cal", "calibration", ("offset", "slope", "noise")),
    Unit("counters", "err", "errors by class", ("fatal", "corrected", "deferred")),
)


def _counters(unit: Unit, buggy: bool) -> list[str]:
    name, lines = unit.name, []
    lines += [f"struct {name}_counters {{"]
    lines += [f"    unsigned long {field};" for field in unit.fields]
    lines += ["};", "", f"static pthread_spinlock_t {name}_count_lock;"]
    lines += [f"static struct {name}_counters {name}_counters;", ""]
    lines += [f"void {name}_account(int event, unsigned amount)", "{"]
    lines += [f"    pthread_spin_lock(&{name}_count_lock);", "    switch (event) {"]
    for number, field in enumerate(unit.fields):
        step = "amount" if field in ("bytes", "retries") else "1"
        lines += [f"    case {number}:", f"        {name}_counters.{field} += {step};"]
        lines += ["        break;"]
    lines += ["    default:", f"        {name}_counters.{unit.fields[-1]}++;", "    }"]
    lines += [f"    pthread_spin_unlock(&{name}_count_lock);", "}", ""]
    lines += [f"unsigned long {name}_counter(int which)", "{", "    unsigned long found = 0;", ""]
    lines += [f"    pthread_spin_lock(&{name}_count_lock);"]
    for number, field in enumerate(unit.fields):
        word = "if" if number == 0 else "else if"
        lines += [f"    {word} (which == {number})", f"        found = {name}_counters.{field};"]
    lines += [f"    pthread_spin_unlock(&{name}_count_lock);", "    return found;", "}", ""]
    lines += [f"void {name}_clear(void)", "{", f"    pthread_spin_lock(&{name}_count_lock);"]
    lines += [f"    {name}_counters.{field} = 0;" for field in unit.fields]
    lines += [f"    pthread_spin_unlock(&{name}_count_lock);", "}"]
    return lines


def _table(unit: Unit, buggy: bool) -> list[str]:
    name, (key, value), size = unit.name, unit.fields, unit.size
    up = name.upper()
    return f"""#define {up}_ROWS {size}

struct {name}_row {{
    unsigned {key};
    unsigned {value};
    int taken;
}};

static pthread_spinlock_t {name}_table_lock;
static struct {name}_row {name}_rows[{up}_ROWS];
static unsigned {name}_used;

/* The caller holds the lock. */
static int {name}_find(unsigned {key})
{{
    int i;

    for (i = 0; i < {up}_ROWS; i++)
        if ({name}_rows[i].taken && {name}_rows[i].{key} == {key})
            return i;
    return -1;
}}

int {name}_add(unsigned {key}, unsigned {value})
{{
    int i, found = -1;

    pthread_spin_lock(&{name}_table_lock);
    if ({name}_find({key}) < 0 && {name}_used < {up}_ROWS) {{
        for (i = 0; i < {up}_ROWS && found < 0; i++)
            if (!{name}_rows[i].taken)
                found = i;
        if (found >= 0) {{
            {name}_rows[found].{key} = {key};
            {name}_rows[found].{value} = {value};
            {name}_rows[found].taken = 1;
            {name}_used++;
        }}
    }}
    pthread_spin_unlock(&{name}_table_lock);
    return found;
}}

int {name}_remove(unsigned {key})
{{
    int row;

    pthread_spin_lock(&{name}_table_lock);
    row = {name}_find({key});
    if (row >= 0) {{
        {name}_rows[row].taken = 0;
        {name}_used--;
    }}
    pthread_spin_unlock(&{name}_table_lock);
    return row;
}}

unsigned {name}_lookup(unsigned {key})
{{
    unsigned found = 0;
    int row;

    pthread_spin_lock(&{name}_table_lock);
    row = {name}_find({key});
    if (row >= 0)
        found = {name}_rows[row].{value};
    pthread_spin_unlock(&{name}_table_lock);
    return found;
}}""".split("\n")


def _machine(unit: Unit, buggy: bool) -> list[str]:
    name, up = unit.name, unit.name.upper()
    states = [f"{up}_{field.upper()}" for field in unit.fields]
    lines = [f"enum {name}_state {{ {', '.join(states)} }};", ""]
    lines += [f"static pthread_spinlock_t {name}_state_lock;"]
    lines += [f"static enum {name}_state {name}_state;"]
    lines += [f"static unsigned {name}_timeouts, {name}_changes;", ""]
    lines += ["/* The caller holds the lock. */"]
    lines += [f"static void {name}_enter(enum {name}_state next)", "{"]
    lines += [f"    if ({name}_state != next)", f"        {name}_changes++;"]
    lines += [f"    {name}_state = next;", f"    {name}_timeouts = 0;", "}", ""]
    lines += [f"void {name}_event(int good, int patience)", "{"]
    lines += [f"    pthread_spin_lock(&{name}_state_lock);", f"    switch ({name}_state) {{"]
    for here, after in zip(states, [*states[1:], states[0]], strict=True):
        lines += [f"    case {here}:"]
        if after is not states[0]:
            lines += ["        if (good)", f"            {name}_enter({after});"]
            lines += [f"        else if (++{name}_timeouts > (unsigned)patience)"]
            lines += [f"            {name}_enter({states[0]});"]
        else:
            lines += ["        if (!good)", f"            {name}_enter({after});"]
        lines += ["        break;"]
    lines += ["    }", f"    pthread_spin_unlock(&{name}_state_lock);", "}", ""]
    lines += [f"int {name}_is_{unit.fields[-1]}(void)", "{", "    int found;", ""]
    lines += [f"    pthread_spin_lock(&{name}_state_lock);"]
    lines += [f"    found = {name}_state == {states[-1]};"]
    lines += [f"    pthread_spin_unlock(&{name}_state_lock);", "    return found;", "}", ""]
    lines += [f"unsigned {name}_history(int clear)", "{", "    unsigned found;", ""]
    lines += [f"    pthread_spin_lock(&{name}_state_lock);", f"    found = {name}_changes;"]
    lines += ["    if (clear)", f"        {name}_changes = 0;"]
    lines += [f"    pthread_spin_unlock(&{name}_state_lock);", "    return found;", "}"]
    return lines


def _staging(unit: Unit, buggy: bool) -> list[str]:
    name, size, up = unit.name, unit.size, unit.name.upper()
    lines = [f"#define {up}_WORDS {size}", ""]
    lines += [f"static pthread_spinlock_t {name}_stage_lock;"]
    lines += [f"static int {name}_busy;             /* whoever sets it owns what follows */"]
    lines += [f"static unsigned {name}_words[{up}_WORDS];"]
    lines += [f"static unsigned {name}_{field};" for field in unit.fields]
    lines += [f"static unsigned {name}_refused;     /* under the lock */", ""]
    lines += [f"static int {name}_claim(void)", "{", "    int mine = 0;", ""]
    lines += [f"    pthread_spin_lock(&{name}_stage_lock);", f"    if ({name}_busy) {{"]
    lines += [f"        {name}_refused++;", "    } else {", f"        {name}_busy = 1;"]
    lines += ["        mine = 1;", "    }", f"    pthread_spin_unlock(&{name}_stage_lock);"]
    lines += ["    return mine;", "}", "", f"static void {name}_give_back(void)", "{"]
    lines += [f"    pthread_spin_lock(&{name}_stage_lock);", f"    {name}_busy = 0;"]
    lines += [f"    pthread_spin_unlock(&{name}_stage_lock);", "}", ""]
    arguments = ", ".join(f"unsigned {field}" for field in unit.fields)
    lines += [f"int {name}_submit({arguments})", "{", "    unsigned sum = 0;", "    int i;", ""]
    lines += [f"    if (!{name}_claim())", "        return -EBUSY;"]
    lines += [f"    {name}_{field} = {field};" for field in unit.fields]
    lines += [f"    for (i = 0; i < {up}_WORDS; i++)"]
    lines += [f"        {name}_words[i] = {unit.fields[0]} ^ (unsigned)i;"]
    lines += [f"    for (i = 0; i < {up}_WORDS; i++)", f"        sum += {name}_words[i];"]
    lines += [f"    {name}_{unit.fields[-1]} = sum;", f"    {name}_give_back();"]
    lines += ["    return 0;", "}", "", f"int {name}_peek(void)", "{", "    int first;", ""]
    if buggy:
        lines += ["#ifdef BUG", f"    return {name}_words[0] & 0xff;", "#endif"]
    lines += [f"    if (!{name}_claim())", "        return -EBUSY;"]
    lines += [f"    first = {name}_words[0] & 0xff;", f"    {name}_give_back();"]
    lines += ["    return first;", "}"]
    lines += ["", f"unsigned {name}_refusals(void)", "{", "    unsigned found;", ""]
    lines += [f"    pthread_spin_lock(&{name}_stage_lock);", f"    found = {name}_refused;"]
    lines += [f"    pthread_spin_unlock(&{name}_stage_lock);", "    return found;", "}"]
    return lines


def _life(unit: Unit, buggy: bool) -> list[str]:
    name, up = unit.name, unit.name.upper()
    lines = [f"enum {name}_life {{ {up}_DOWN, {up}_STARTING, {up}_UP, {up}_STOPPING }};", ""]
    lines += [f"static pthread_spinlock_t {name}_life_lock;"]
    lines += [f"static enum {name}_life {name}_life;"]
    lines += ["/* Written by the one who brings the unit up or down, read while it is up. */"]
    lines += [f"static unsigned {name}_{field};" for field in unit.fields]
    lines += ["", f"int {name}_open(unsigned wanted)", "{"]
    lines += [
        f"    pthread_spin_lock(&{name}_life_lock);",
        f"    if ({name}_life != {up}_DOWN) {{",
    ]
    lines += [
        f"        pthread_spin_unlock(&{name}_life_lock);",
        "        return -EBUSY;",
        "    }",
    ]
    lines += [f"    {name}_life = {up}_STARTING;", f"    pthread_spin_unlock(&{name}_life_lock);"]
    lines += ["", f"    {name}_{unit.fields[0]} = wanted;"]
    for number, field in enumerate(unit.fields[1:], 1):
        lines += [
            f"    {name}_{field} = device_word({number}) + {name}_{unit.fields[number - 1]};"
        ]
    lines += ["", f"    pthread_spin_lock(&{name}_life_lock);", f"    {name}_life = {up}_UP;"]
    lines += [f"    pthread_spin_unlock(&{name}_life_lock);", "    return 0;", "}", ""]
    lines += [f"int {name}_close(void)", "{", f"    pthread_spin_lock(&{name}_life_lock);"]
    lines += [f"    if ({name}_life != {up}_UP) {{"]
    lines += [
        f"        pthread_spin_unlock(&{name}_life_lock);",
        "        return -EINVAL;",
        "    }",
    ]
    lines += [f"    {name}_life = {up}_STOPPING;", f"    pthread_spin_unlock(&{name}_life_lock);"]
    lines += ["", *(f"    {name}_{field} = 0;" for field in unit.fields)]
    lines += ["", f"    pthread_spin_lock(&{name}_life_lock);", f"    {name}_life = {up}_DOWN;"]
    lines += [f"    pthread_spin_unlock(&{name}_life_lock);", "    return 0;", "}", ""]
    lines += [f"int {name}_ioctl(int request)", "{", "    int found = -EINVAL;"]
    lines += ["", f"    pthread_spin_lock(&{name}_life_lock);"]
    if buggy:
        lines += ["#ifdef BUG", f"    if ({name}_life != {up}_DOWN) {{", "#else"]
    lines += [f"    if ({name}_life == {up}_UP) {{"]
    if buggy:
        lines += ["#endif"]
    lines += ["        switch (request) {"]
    for number, field in enumerate(unit.fields):
        lines += [f"        case {number}:", f"            found = {name}_{field} & 0xffff;"]
        lines += ["            break;"]
    lines += ["        }", "    }"]
    lines += [f"    pthread_spin_unlock(&{name}_life_lock);", "    return found;", "}"]
    return lines


def _interrupt(unit: Unit, buggy: bool) -> list[str]:
    name, up = unit.name, unit.name.upper()
    lines = [f"#define {up}_SLOTS {unit.size}", ""]
    lines += [f"static pthread_spinlock_t {name}_irq_lock;"]
    lines += [f"static int {name}_enabled = 1;       /* otherwise settings may change */"]
    lines += [f"static int {name}_handling;          /* a handler is at work */"]
    lines += [
        "/* Belong to the handler while interrupts are enabled, else to who disabled them. */"
    ]
    lines += [f"static unsigned {name}_slots[{up}_SLOTS];"]
    lines += [f"static unsigned {name}_{field};" for field in unit.fields]
    lines += ["", f"void {name}_interrupt(unsigned cause)", "{", "    unsigned i;", ""]
    lines += [f"    pthread_spin_lock(&{name}_irq_lock);"]
    lines += [f"    if (!{name}_enabled || {name}_handling) {{"]
    lines += [f"        pthread_spin_unlock(&{name}_irq_lock);", "        return;", "    }"]
    lines += [f"    {name}_handling = 1;", f"    pthread_spin_unlock(&{name}_irq_lock);", ""]
    lines += [f"    {name}_{unit.fields[0]} = cause;", f"    for (i = 0; i < {up}_SLOTS; i++)"]
    lines += [f"        if (device_word(i) & {name}_{unit.fields[-1]})"]
    lines += [f"            {name}_slots[i]++;", ""]
    lines += [f"    pthread_spin_lock(&{name}_irq_lock);", f"    {name}_handling = 0;"]
    lines += [f"    pthread_spin_unlock(&{name}_irq_lock);", "}", ""]
    lines += [f"int {name}_configure(unsigned {unit.fields[-1]})", "{", "    unsigned i;", ""]
    lines += [f"    pthread_spin_lock(&{name}_irq_lock);"]
    if buggy:
        lines += ["#ifdef BUG", f"    if (!{name}_enabled) {{", "#else"]
    lines += [f"    if (!{name}_enabled || {name}_handling) {{"]
    if buggy:
        lines += ["#endif"]
    lines += [f"        pthread_spin_unlock(&{name}_irq_lock);", "        return -EBUSY;", "    }"]
    lines += [f"    {name}_enabled = 0;", f"    pthread_spin_unlock(&{name}_irq_lock);", ""]
    lines += [f"    {name}_{unit.fields[-1]} = {unit.fields[-1]};"]
    lines += [f"    for (i = 0; i < {up}_SLOTS; i++)", f"        {name}_slots[i] = 0;", ""]
    lines += [f"    pthread_spin_lock(&{name}_irq_lock);", f"    {name}_enabled = 1;"]
    lines += [f"    pthread_spin_unlock(&{name}_irq_lock);", "    return 0;", "}"]
    return lines


def _mailbox(unit: Unit, buggy: bool) -> list[str]:
    name, up = unit.name, unit.name.upper()
    lines = [f"enum {name}_box {{ {up}_EMPTY, {up}_FILLING, {up}_FULL, {up}_DRAINING }};", ""]
    lines += [f"static pthread_spinlock_t {name}_box_lock;", f"static enum {name}_box {name}_box;"]
    lines += ["/* Belongs to the one who fills or drains the box. */"]
    lines += [f"static struct {{ unsigned {', '.join(unit.fields)}; }} {name}_message;", ""]
    lines += [f"static int {name}_move(enum {name}_box from, enum {name}_box to)", "{"]
    lines += ["    int moved = 0;", "", f"    pthread_spin_lock(&{name}_box_lock);"]
    lines += [f"    if ({name}_box == from) {{", f"        {name}_box = to;", "        moved = 1;"]
    lines += ["    }", f"    pthread_spin_unlock(&{name}_box_lock);", "    return moved;", "}", ""]
    arguments = ", ".join(f"unsigned {field}" for field in unit.fields)
    lines += [f"int {name}_post({arguments})", "{"]
    lines += [f"    if (!{name}_move({up}_EMPTY, {up}_FILLING))", "        return -EBUSY;"]
    lines += [f"    {name}_message.{field} = {field};" for field in unit.fields]
    lines += [f"    {name}_move({up}_FILLING, {up}_FULL);", "    return 0;", "}", ""]
    lines += [f"int {name}_fetch(void)", "{", "    unsigned sum = 0;", ""]
    lines += [f"    if (!{name}_move({up}_FULL, {up}_DRAINING))", "        return -EAGAIN;"]
    lines += [f"    sum += {name}_message.{field};" for field in unit.fields]
    if buggy:
        lines += ["#ifdef BUG", f"    {name}_move({up}_DRAINING, {up}_EMPTY);", "#endif"]
    lines += [f"    {name}_message.{unit.fields[0]} = 0;"]
    lines += [f"    {name}_move({up}_DRAINING, {up}_EMPTY);", "    return sum & 0xffff;", "}"]
    return lines


def _varying(unit: Unit, buggy: bool) -> list[str]:
    name, up = unit.name, unit.name.upper()
    locks = f"{name}_fast_lock", f"{name}_slow_lock"
    lines = [f"enum {name}_mode {{ {up}_FAST, {up}_SLOW }};", ""]
    lines += [f"static pthread_spinlock_t {locks[0]}, {locks[1]};"]
    lines += [f"static enum {name}_mode {name}_mode; /* written under both locks */"]
    lines += ["/* Under the lock of the mode. */"]
    lines += [f"static unsigned {name}_{field};" for field in unit.fields]
    for lock, mode in zip(locks, ("FAST", "SLOW"), strict=True):
        lines += ["", f"int {name}_{mode.lower()}(unsigned change)", "{", "    int done = 0;", ""]
        lines += [f"    pthread_spin_lock(&{lock});"]
        if buggy and mode == "SLOW":
            lines += ["#ifdef BUG", f"    if ({name}_mode == {up}_SLOW || change > 7) {{", "#else"]
        lines += [f"    if ({name}_mode == {up}_{mode}) {{"]
        if buggy and mode == "SLOW":
            lines += ["#endif"]
        for number, field in enumerate(unit.fields):
            sign = "+=" if number % 2 == 0 else "^="
            lines += [f"        {name}_{field} {sign} change;"]
        lines += ["        done = 1;", "    }", f"    pthread_spin_unlock(&{lock});"]
        lines += ["    return done;", "}"]
    lines += ["", f"void {name}_switch(int slow)", "{"]
    lines += [f"    pthread_spin_lock(&{lock});" for lock in locks]
    lines += [f"    {name}_mode = slow ? {up}_SLOW : {up}_FAST;"]
    lines += [f"    pthread_spin_unlock(&{lock});" for lock in reversed(locks)]
    return [*lines, "}"]


def _firmware(unit: Unit, buggy: bool) -> list[str]:
    name, up = unit.name, unit.name.upper()
    lines = [f"enum {name}_image {{ {up}_ABSENT, {up}_LOADING, {up}_LOADED }};", ""]
    lines += [f"static pthread_spinlock_t {name}_image_lock;"]
    lines += [f"static enum {name}_image {name}_image;"]
    lines += ["/* Written once, by the one who loads it; then everybody may read it. */"]
    lines += [f"static unsigned {name}_{field};" for field in unit.fields]
    lines += ["", f"int {name}_load(unsigned seed)", "{"]
    lines += [f"    pthread_spin_lock(&{name}_image_lock);"]
    lines += [f"    if ({name}_image != {up}_ABSENT) {{"]
    lines += [
        f"        pthread_spin_unlock(&{name}_image_lock);",
        "        return -EEXIST;",
        "    }",
    ]
    lines += [f"    {name}_image = {up}_LOADING;", f"    pthread_spin_unlock(&{name}_image_lock);"]
    lines += [""]
    for number, field in enumerate(unit.fields):
        lines += [f"    {name}_{field} = device_word({number}) ^ seed;"]
    lines += [
        "",
        f"    pthread_spin_lock(&{name}_image_lock);",
        f"    {name}_image = {up}_LOADED;",
    ]
    lines += [f"    pthread_spin_unlock(&{name}_image_lock);", "    return 0;", "}", ""]
    lines += [f"static int {name}_is_there(void)", "{", "    int there;", ""]
    lines += [f"    pthread_spin_lock(&{name}_image_lock);"]
    wanted = [f"    there = {name}_image == {up}_LOADED;"]
    if buggy:
        wrong = f"    there = {name}_image != {up}_ABSENT;"
        wanted = ["#ifdef BUG", wrong, "#else", *wanted, "#endif"]
    lines += [*wanted, f"    pthread_spin_unlock(&{name}_image_lock);", "    return there;", "}"]
    lines += ["", f"int {name}_inquire(int which)", "{", "    int found = -EINVAL;", ""]
    lines += [f"    if (!{name}_is_there())", "        return -ENOENT;"]
    for number, field in enumerate(unit.fields):
        word = "if" if number == 0 else "else if"
        lines += [f"    {word} (which == {number})", f"        found = {name}_{field} & 0xffff;"]
    return [*lines, "    return found;", "}"]


KINDS: dict[str, Callable[[Unit, bool], list[str]]] = {
    "counters": _counters,
    "table": _table,
    "machine": _machine,
    "staging": _staging,
    "life": _life,
    "interrupt": _interrupt,
    "mailbox": _mailbox,
    "varying": _varying,
    "firmware": _firmware,
}
BY_STATE = ("staging", "life", "interrupt", "mailbox", "varying", "firmware")

PRELUDE = """#include <pthread.h>

#define EBUSY 16
#define EINVAL 22
#define EAGAIN 11
#define EEXIST 17
#define ENOENT 2

/* What the device says; it has a register file of its own, which needs no protection. */
static unsigned device_word(unsigned number)
{
    return number * 2654435761u + 12345u;
}
"""


def driver(units: Sequence[Unit], buggy: int) -> str:
    """The text of a driver; the unit of that number has the bug."""
    parts = [KINDS[unit.kind](unit, number == buggy) for number, unit in enumerate(units)]
    entries = [name for part in parts for name in _functions(part)]
    locks = [name for part in parts for name in _locks(part)]
    probe = ["void probe(void)", "{", *(f"    pthread_spin_init(&{lock}, 0);" for lock in locks)]
    by_state = sum(unit.kind in BY_STATE for unit in units)
    head = [
        f"// A network driver of {len(units)} units; {by_state} of them protect data by state.",
        "// Made by benchmarks/hjmq/generate.py.",
        f"// check with: --entry-init probe --entry {','.join(entries)}",
        "// expect races: SAFE; UNSAFE with -D BUG",
    ]
    text = ["\n".join([*head, PRELUDE])]
    for unit, part in zip(units, parts, strict=True):
        title = f"/* ---- {unit.name}: {unit.about} ({unit.kind}) ---- */"
        text.append("\n".join([title, "", *part, ""]))
    text.append("\n".join(["/* ---- the driver ---- */", "", *probe, "}", ""]))
    return "\n".join(text)


def _functions(lines: Sequence[str]) -> list[str]:
    """The functions that others call."""
    heads = [line for line in lines if line.endswith(")") and not line.startswith((" ", "static"))]
    return [head.split("(")[0].split()[-1] for head in heads]


def _locks(lines: Sequence[str]) -> list[str]:
    declared = [line for line in lines if line.startswith("static pthread_spinlock_t ")]
    return [
        name.strip() for line in declared for name in line.split(" ", 2)[2].rstrip(";").split(",")
    ]


SIZES = {"driver_600": (9, 2), "driver_1500": (24, 3), "driver_4000": (len(UNITS), 41)}
"""How many units each driver has, and which of them has the bug."""


def main() -> None:
    """Write the drivers."""
    for name, (count, buggy) in SIZES.items():
        (FOLDER / f"{name}.c").write_text(driver(UNITS[:count], buggy), encoding="utf-8")


if __name__ == "__main__":
    main()
