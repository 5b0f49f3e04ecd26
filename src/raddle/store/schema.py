"""The tables of the data file.

They may be read by anybody with SQLite. A file says what it is: `pragma application_id` gives APPLICATION,
`pragma user_version` the version of the tables.
"""

from __future__ import annotations

APPLICATION = 0x7261646C  # "radl"
VERSION = 2

# Versions:
# 1: the first one.
# 2: schedules that covered something new are kept.

SCHEMA = """\
create table run (
    -- A row for each use of raddle that measured something.
    number integer primary key,       -- in the order in which they were added
    identity text not null unique,    -- random: by this, a run is known again in other files
    origin text not null,             -- what ran: 'explore log.py::scenario', 'run app.py'
    mode text not null,               -- 'controlled' or 'native'
    before integer not null,          -- executions of earlier runs: its own are numbered from before + 1 on
    executions integer not null,      -- how many it had
    added text not null               -- when it was added, in UTC
);

create table run_criterion (
    -- What a run measured.
    run integer not null,             -- its number
    criterion text not null,          -- its name
    exact integer not null,           -- 1 if it saw everything that can be covered, 0 if not
    primary key (run, criterion)
) without rowid;

create table run_file (
    -- Which sources a run was about.
    run integer not null,             -- its number
    file integer not null,            -- its number
    primary key (run, file)
) without rowid;

create table file (
    -- A row for each source file.
    number integer primary key,       -- in the order in which they were first met
    label text not null,              -- its name in sites, the same on every machine: 'shop/cart.py'
    digest integer not null,          -- of its source: the upper bits of its sites' numbers; 0 if it has no sites
    path text not null,               -- where it lies on the machine that measured it, '' if that is not known
    unique (label, digest)
);

create table site (
    -- A row for each place that anything else here names.
    number integer primary key,       -- as in keys of requirements
    file integer not null,            -- its number
    line integer not null,            -- from 1
    "column" integer not null,        -- from 0
    kind text not null,               -- read, write, call, enter, ...
    name text not null,               -- what the source calls the variable or function there
    function text not null,           -- the function around it
    switchable integer not null       -- 1 if CPython with the GIL may switch threads just before it
);

create table requirement (
    -- A row for each requirement that was covered.
    criterion text not null,          -- its name
    key text not null,                -- which one: JSON, without spaces
    executions integer not null,      -- how many covered it
    first integer not null,           -- the number of the first that did; so growth over time is known, too
    primary key (criterion, key)
) without rowid;

create table variable (
    -- The static model: a row for each variable.
    number integer primary key,       -- in the order in which they were first met
    owner text not null,              -- 'shop/cart.py:Cart' for a class, 'shop/cart.py' for a module
    name text not null,               -- within its owner; 'items[]' for the content of a container
    unique (owner, name)
);

create table access (
    -- The static model: which sites can touch a variable.
    variable integer not null,        -- its number
    site integer not null,            -- its number
    reads integer not null,           -- 1 or 0
    writes integer not null,          -- 1 or 0
    guessed integer not null,         -- 1 if nobody saw that the site touches this variable and not another
    primary key (variable, site)
) without rowid;

create table method (
    -- The static model: public methods of classes.
    class text not null,              -- 'shop/cart.py:Cart'
    name text not null,               -- within the class
    site integer not null,            -- the number of the site where it is entered
    primary key (class, name)
) without rowid;

create table block (
    -- The static model: where basic blocks begin.
    site integer primary key          -- its number
);

create table facts (
    -- One row at most: what executions showed about sites.
    number integer primary key,       -- always 1
    value text not null               -- JSON, as raddle.pruning_facts gives it
);

create table extra (
    -- What else a criterion has to know to say its total.
    criterion text primary key,       -- its name
    value text not null               -- JSON, as the criterion gives it
) without rowid;

create table caution (
    -- What looked wrong although nothing went wrong.
    kind text not null,               -- 'data-race', 'lockset', ...
    subject text not null,            -- the variable or the locks
    sites text not null,              -- their numbers, as a JSON list
    note text not null,               -- what else there is to say
    primary key (kind, subject, sites, note)
) without rowid;

create table finding (
    -- What went wrong.
    identity text primary key,        -- JSON list: kind, message, thread, schedule
    value text not null               -- JSON: the whole finding
) without rowid;

create table schedule (
    -- Schedules that covered something new: a later run begins with them.
    origin text not null,             -- what was explored: 'explore log.py::scenario'
    switches text not null,           -- where threads could be switched: 'free-threaded' or 'gil'
    decisions text not null,          -- JSON list of [thread, so many decisions in a row]
    points text not null,             -- JSON: {"kinds": [...], "sites": [...]} that were scheduling points, and
                                      -- {"options": {...}} of `raddle replay`, where it needs any
    execution integer not null,       -- its number: the witness of the requirements that have it as their first
    brought integer not null,         -- requirements that were new then
    text text not null,               -- for `raddle replay`; '' if it is not known
    primary key (origin, switches, decisions, points)
) without rowid;

create table note (
    -- What else is to be said to whoever reads the report.
    number integer primary key,       -- in the order in which they were first said
    text text not null unique         -- a sentence
);
"""
