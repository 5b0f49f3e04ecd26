"""The tables of the data file.

Other programs may read them with SQLite. `pragma application_id` returns APPLICATION in every data file, and
`pragma user_version` returns the version of the tables.
"""

from __future__ import annotations

APPLICATION = 0x7261646C  # "radl" in ASCII
VERSION = 2  # current version of the tables

# History of versions:
# 1: first version.
# 2: added the table of schedules that covered something new.

SCHEMA = """\
create table run (
    -- One row per run of raddle that measured coverage.
    number integer primary key,       -- in the order in which the runs were added
    identity text not null unique,    -- random; identifies the run across data files
    origin text not null,             -- command and target: 'explore log.py::scenario', 'run app.py'
    mode text not null,               -- 'controlled' or 'native'
    before integer not null,          -- executions in earlier runs; those of this run are numbered from before + 1
    executions integer not null,      -- number of executions
    added text not null               -- when the run was added, in UTC
);

create table run_criterion (
    -- One row per criterion that a run measured.
    run integer not null,             -- number of the run
    criterion text not null,          -- name of the criterion
    exact integer not null,           -- 1 if the run covered every feasible requirement, else 0
    primary key (run, criterion)
) without rowid;

create table run_file (
    -- One row per source file that a run measured.
    run integer not null,             -- number of the run
    file integer not null,            -- number of the file
    primary key (run, file)
) without rowid;

create table file (
    -- One row per version of a source file.
    number integer primary key,       -- in the order in which the files were first seen
    label text not null,              -- name of the file in sites, the same on every machine: 'shop/cart.py'
    digest integer not null,          -- digest of the source: the upper bits of its site numbers; 0 if it has no sites
    path text not null,               -- path on the machine that measured the file, '' if unknown
    unique (label, digest)
);

create table site (
    -- One row per site of the measured modules.
    number integer primary key,       -- the number used in keys of requirements
    file integer not null,            -- number of the file
    line integer not null,            -- counted from 1
    "column" integer not null,        -- counted from 0
    kind text not null,               -- read, write, call, enter, ...
    name text not null,               -- the variable or function as written in the source
    function text not null,           -- the enclosing function
    switchable integer not null       -- 1 if CPython with the GIL may switch threads just before this site
);

create table requirement (
    -- One row per covered requirement.
    criterion text not null,          -- name of the criterion
    key text not null,                -- key of the requirement: JSON, without spaces
    executions integer not null,      -- number of executions that covered the requirement
    first integer not null,           -- number of the first execution that covered it; shows growth over time
    primary key (criterion, key)
) without rowid;

create table variable (
    -- The static model: one row per variable.
    number integer primary key,       -- in the order in which the variables were first seen
    owner text not null,              -- 'shop/cart.py:Cart' for a class, 'shop/cart.py' for a module
    name text not null,               -- within its owner; 'items[]' for the content of a container
    unique (owner, name)
);

create table access (
    -- The static model: which sites can access a variable.
    variable integer not null,        -- number of the variable
    site integer not null,            -- number of the site
    reads integer not null,           -- 1 if the site can read the variable, else 0
    writes integer not null,          -- 1 if the site can write the variable, else 0
    guessed integer not null,         -- 1 if it is a guess that the site accesses this variable and not another
    primary key (variable, site)
) without rowid;

create table base (
    -- The static model: base classes whose variables the objects of a class also have. Files written before this table
    -- was added do not have it.
    class text not null,              -- 'shop/cart.py:Cart'
    base text not null,               -- a direct or indirect base class
    primary key (class, base)
) without rowid;

create table method (
    -- The static model: the public methods of classes.
    class text not null,              -- 'shop/cart.py:Cart'
    name text not null,               -- within the class
    site integer not null,            -- number of the site where the method is entered
    primary key (class, name)
) without rowid;

create table block (
    -- The static model: where basic blocks begin.
    site integer primary key          -- number of the site
);

create table graph (
    -- The parallel control flow graphs of message-passing programs. Files written before this table was added do not
    -- have it.
    value text primary key            -- JSON: sources and options, as written by raddle.pcfg.stored
) without rowid;

create table facts (
    -- At most one row: the pruning facts, which executions revealed about sites.
    number integer primary key,       -- always 1
    value text not null               -- JSON, as written by raddle.pruning_facts
);

create table extra (
    -- Additional data that a criterion needs to compute its total.
    criterion text primary key,       -- name of the criterion
    value text not null               -- JSON, as written by the criterion
) without rowid;

create table caution (
    -- Warnings: something suspicious in an execution that did not fail.
    kind text not null,               -- 'data-race', 'lockset', ...
    subject text not null,            -- the variable or the locks
    sites text not null,              -- numbers of the sites, as a JSON list
    note text not null,               -- further details
    primary key (kind, subject, sites, note)
) without rowid;

create table finding (
    -- Findings: failures of executions.
    identity text primary key,        -- JSON list: kind, message, thread, schedule
    value text not null               -- JSON: the whole finding
) without rowid;

create table schedule (
    -- The corpus: schedules that covered something new. Later runs start with them.
    origin text not null,             -- command and scenario: 'explore log.py::scenario'
    switches text not null,           -- the switch model: 'free-threaded' or 'gil'
    decisions text not null,          -- JSON list of [thread, number of consecutive decisions]
    points text not null,             -- JSON object: the "kinds" and "sites" that were scheduling points, and the
                                      -- "options" of `raddle replay`, if it needs any
    execution integer not null,       -- number of the execution, which is the witness of requirements it covered first
    brought integer not null,         -- number of requirements that the execution was the first to cover
    text text not null,               -- the schedule as text for `raddle replay`; '' if unknown
    primary key (origin, switches, decisions, points)
) without rowid;

create table note (
    -- Notes for readers of the report.
    number integer primary key,       -- in the order in which the notes were first added
    text text not null unique         -- one sentence
);
"""
