// The tables of feeds, runs and fetches.

import Core

extension Schema {
  static let feedTables = """
    -- One row: the configuration that owns the store, when it was last noted which feeds are configured, and until when
    -- a run would find nothing due.
    CREATE TABLE owner (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      configuration TEXT,
      configured_noted INTEGER,
      changes INTEGER NOT NULL DEFAULT 0,
      quiet_note INTEGER,
      quiet_from INTEGER,
      quiet_until INTEGER,
      quiet_changes INTEGER,
      -- A random name of the store, which its temporary files carry.
      mark TEXT,
      due_note INTEGER,
      -- When all feeds were looked at, and the latest moment at which some were.
      due_noted INTEGER,
      due_latest INTEGER,
      catalog_version INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO owner (one, mark) VALUES (1, lower(hex(randomblob(4))));

    CREATE TABLE feed (
      number INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      last_configured INTEGER NOT NULL,
      next_due INTEGER,
      \(FeedState.columns.definitions),
      -- The person's pause, which no fetch changes.
      is_paused INTEGER NOT NULL DEFAULT 0,
      paused_until INTEGER,
      -- When it is due next, for very many feeds (DueIndex.swift); NULL if unknown.
      due_at INTEGER,
      -- Where it was found to be at the last look.
      host TEXT
    ) STRICT;
    CREATE INDEX feed_due ON feed (due_at);
    CREATE INDEX feed_by_host ON feed (host) WHERE host IS NOT NULL;

    -- The feeds that stand in the store (CatalogAdministration.swift). A row without url is a feed that was removed: copies
    -- have to learn of that. "changed" is the version of the catalog in which the row changed last.
    CREATE TABLE catalog (
      name TEXT PRIMARY KEY,
      url TEXT,
      tags TEXT NOT NULL,
      changed INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX catalog_changed ON catalog (changed);

    -- Targets of permanent redirects. Few feeds have any, so they are not columns of `feed`.
    CREATE TABLE move (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      \(Move.columns.definitions),
      PRIMARY KEY (feed, address)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE host (
      name TEXT PRIMARY KEY,
      \(HostState.columns.definitions),
      -- When the latest reserved request begins (Claims.swift), in milliseconds since 1970 by the server's clock.
      reserved INTEGER
    ) STRICT, WITHOUT ROWID;

    -- AUTOINCREMENT everywhere: a number is never used twice, so that "after number S" keeps its meaning.
    CREATE TABLE run (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      cause TEXT NOT NULL,
      -- Whether feeds were named on the command line, which ignores intervals.
      was_named INTEGER NOT NULL,
      was_forced INTEGER NOT NULL,
      process INTEGER NOT NULL,
      started INTEGER NOT NULL,
      ended INTEGER,
      was_cut INTEGER NOT NULL DEFAULT 0,
      due INTEGER,
      new_data INTEGER,
      no_data INTEGER,
      failed INTEGER,
      items INTEGER,
      left_over INTEGER,
      exit_status INTEGER,
      ending TEXT,
      -- Its transfer phase, which may last much longer.
      transfers INTEGER NOT NULL DEFAULT 0,
      resumed INTEGER NOT NULL DEFAULT 0,
      failed_transfers INTEGER NOT NULL DEFAULT 0,
      unsettled_transfers INTEGER NOT NULL DEFAULT 0,
      transfers_ended INTEGER,
      -- The process that runs it, and its machine, if several machines share the store.
      held_by INTEGER,
      machine TEXT
    ) STRICT;
    CREATE INDEX run_open ON run (number) WHERE ended IS NULL AND was_cut = 0;

    -- The feeds in flight.
    CREATE TABLE attempt (
      feed INTEGER PRIMARY KEY REFERENCES feed ON DELETE CASCADE,
      run INTEGER NOT NULL,
      started INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE fetch (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      run INTEGER,
      \(FetchRecord.columns.definitions),
      -- When the rules of that time allowed the next fetch.
      next_due INTEGER
    ) STRICT;
    CREATE INDEX fetch_by_feed ON fetch (feed);

    -- The requests of each fetch in order, redirects included. Times are in milliseconds.
    CREATE TABLE request (
      fetch INTEGER NOT NULL REFERENCES fetch ON DELETE CASCADE,
      hop INTEGER NOT NULL,
      \(RequestRecord.columns.definitions),
      PRIMARY KEY (fetch, hop)
    ) STRICT, WITHOUT ROWID;

    -- The WebSub hubs of feeds. Few feeds have any, so they are not columns of `feed`.
    CREATE TABLE hub (
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      place INTEGER NOT NULL,
      address TEXT NOT NULL,
      topic TEXT,
      PRIMARY KEY (feed, place)
    ) STRICT, WITHOUT ROWID;
    """
}
