// The tables about the machines that share a store: who they are, what they have fetched, and whether they are paused. In a file
// they stay empty.

extension Schema {
  static let fleetTables = """
    -- The machines, with their last signs of life and the fetches of their runs.
    CREATE TABLE machine (
      name TEXT NOT NULL,
      -- The state directory, which tells machines of one name apart.
      directory TEXT NOT NULL,
      version TEXT NOT NULL,
      -- The fingerprints of the sections of its configuration.
      sections TEXT NOT NULL,
      -- Seconds between two signs of life, or between two runs of a timer; NULL if unknown.
      period INTEGER,
      -- When its last run of a timer began; NULL if it has none.
      begun INTEGER,
      last_sign INTEGER NOT NULL,
      -- The number of its signs of life, each a transaction that changes nothing else.
      signs INTEGER NOT NULL DEFAULT 1,
      -- Milliseconds by which its clock is ahead of the server's.
      clock_lead INTEGER NOT NULL,
      new_data INTEGER NOT NULL DEFAULT 0,
      no_data INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (name, directory)
    ) STRICT, WITHOUT ROWID;

    -- The fetches from each host.
    CREATE TABLE host_fetches (
      name TEXT PRIMARY KEY,
      new_data INTEGER NOT NULL,
      no_data INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      last_fetch INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The pause of all machines; at most one row.
    CREATE TABLE fleet_pause (
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      until INTEGER,
      machine TEXT NOT NULL
    ) STRICT;

    -- When a machine last made its configuration that of all, in milliseconds; at most one row.
    CREATE TABLE adoption (at INTEGER NOT NULL) STRICT;
    """
}
