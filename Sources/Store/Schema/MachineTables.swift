// The tables about the machines that share a store; those of a file stay empty.

extension Schema {
  /// The processes that hold something, with the moment by the clock of the server until which they count as alive without a sign of
  /// life; and the hosts that runs have claimed. The numbers of processes are random.
  ///
  /// The machines, with the fingerprints of their configurations, the seconds between two signs of life, when their last runs of a
  /// timer began, the milliseconds by which their clocks are ahead, and the fetches of their runs; the fetches from each host; and
  /// one row about all machines: when their configuration was adopted, in milliseconds, and their pause.
  static let machineTables = """
    CREATE TABLE worker (
      number INTEGER PRIMARY KEY,
      alive_until INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE claim (
      host TEXT PRIMARY KEY,
      run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX claim_by_run ON claim (run);

    CREATE TABLE machine (
      name TEXT NOT NULL, directory TEXT NOT NULL, version TEXT NOT NULL, sections TEXT NOT NULL,
      period INTEGER, begun INTEGER, last_sign INTEGER NOT NULL,
      clock_lead INTEGER NOT NULL,
      new_data INTEGER NOT NULL DEFAULT 0, no_data INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (name, directory)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE host_fetches (
      name TEXT PRIMARY KEY, new_data INTEGER NOT NULL, no_data INTEGER NOT NULL, failed INTEGER NOT NULL,
      last_fetch INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE all_machines (adopted INTEGER NOT NULL, pause TEXT, pause_end INTEGER) STRICT;
    INSERT INTO all_machines (adopted) VALUES (0);
    """
}
