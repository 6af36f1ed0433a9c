// The tables about the machines that share a store; those of a file stay empty.

extension Schema {
  /// Processes that hold something, hosts that runs have claimed, and machines.
  ///
  /// A process counts as alive until a moment by the clock of the server, without a further sign of life; its number is random.
  ///
  /// A machine has the fingerprints of its configuration, the seconds between two signs of life, when its last run of a timer began,
  /// the milliseconds by which its clock is ahead, and the fetches of its runs; a host has the fetches from it; and one row is about
  /// all machines: their pause.
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
    CREATE TABLE all_machines (pause TEXT, pause_end INTEGER) STRICT;
    INSERT INTO all_machines (pause) VALUES (NULL);
    """
}
