// The tables of items and deliveries.

extension Schema {
  static let itemTables = """
    CREATE TABLE item (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      first_seen INTEGER NOT NULL,
      updated_at INTEGER,
      -- 1 if the person has seen it, 2 if an unseen item of another feed counts instead, 3 if a hook with `seen` got it,
      -- 4 if it was stored as seen, because it was old, or filtered.
      is_seen INTEGER NOT NULL,
      is_filtered INTEGER NOT NULL,
      -- Whether only the keys that recognise the item are left.
      is_pruned INTEGER NOT NULL DEFAULT 0,
      guid_key INTEGER,
      link_key INTEGER,
      title_key INTEGER,
      content_key INTEGER NOT NULL,
      edit_hash INTEGER NOT NULL,
      postponed_edit INTEGER,
      published INTEGER,
      -- NULL if there is a guid_key and the guid equals the link.
      guid TEXT,
      link TEXT,
      title TEXT,
      author TEXT
    ) STRICT;
    -- One for all purposes: keeping a second one took a fifth of the time of adding an item.
    CREATE INDEX item_by_feed ON item (feed, is_seen, is_filtered);


    -- Items with the link of another feed's item, which counts instead of them.
    CREATE TABLE repeated_item (
      item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
      first_item INTEGER NOT NULL
    ) STRICT;

    -- What items have besides title and link.
    CREATE TABLE detail (
      item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
      -- A line break if it is the text of the content.
      summary TEXT,
      comments TEXT,
      image TEXT,
      -- In seconds.
      duration INTEGER,
      season INTEGER,
      episode INTEGER,
      -- How often the item's page was tried for the content; NULL if that is not wanted, or done.
      page_tries INTEGER,
      -- JSON: an array of texts, and one of objects with url, type and length.
      categories TEXT,
      enclosures TEXT,
      -- The content's length in bytes if it is compressed (LZ4), NULL if it is UTF-8.
      content_size INTEGER,
      -- The length of the content's end that is not stored; NULL if the content is whole.
      content_rest INTEGER,
      -- Last: a row that is read for its summary need not be read to its end.
      content BLOB
    ) STRICT;
    CREATE INDEX detail_waiting ON detail (item) WHERE page_tries IS NOT NULL;

    -- The items with a star, which are not pruned.
    CREATE TABLE starred (
      item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE
    ) STRICT;

    -- The items that were marked as seen last, with their is_seen from before.
    CREATE TABLE marked (
      item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
      former INTEGER NOT NULL
    ) STRICT;

    -- One row: the number of unseen items of the configured feeds whose fingerprint kept_of is; NULL if it is unknown.
    CREATE TABLE badge (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      kept_of INTEGER,
      kept INTEGER
    ) STRICT;
    INSERT INTO badge (one) VALUES (1);
    """

  static let deliveryTables = """
    CREATE TABLE event (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      feed TEXT,
      time INTEGER NOT NULL,
      cause TEXT NOT NULL,
      run INTEGER,
      fields TEXT NOT NULL
    ) STRICT;

    -- The items of a notification. Forgotten items stay here: joins skip them.
    CREATE TABLE event_item (
      event INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
      item INTEGER NOT NULL,
      PRIMARY KEY (event, item)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE delivery (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      event INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
      hook TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'pending',
      attempts INTEGER NOT NULL DEFAULT 0,
      queued INTEGER NOT NULL,
      not_before INTEGER NOT NULL,
      -- The process that runs it, if several machines share the store (Membership.swift).
      held_by INTEGER,
      -- The moment to which its feed's hours postpone or postponed it.
      postponed_until INTEGER,
      -- The end of its wait for the files of its items; NULL if it does not wait.
      ready_by INTEGER,
      -- When a delayed message is due; NULL means at once.
      trigger_at INTEGER,
      last_ended INTEGER,
      last_error TEXT,
      frozen_fields TEXT,
      UNIQUE (event, hook)
    ) STRICT;
    CREATE INDEX delivery_open ON delivery (hook) WHERE status = 'pending' OR status = 'running';
    CREATE INDEX delivery_lost ON delivery (hook) WHERE status = 'dead' OR status = 'expired';
    CREATE INDEX delivery_running ON delivery (hook) WHERE status = 'running';

    -- The links that messages have named. "feed" only tells the feeds of a link apart, so it is not a foreign key.
    CREATE TABLE announced_link (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      link INTEGER NOT NULL,
      hook TEXT NOT NULL,
      feed INTEGER NOT NULL,
      at INTEGER NOT NULL,
      UNIQUE (link, hook)
    ) STRICT;

    CREATE TABLE printed (
      hook TEXT NOT NULL,
      identifier TEXT NOT NULL,
      session TEXT NOT NULL,
      text TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (hook, identifier)
    ) STRICT, WITHOUT ROWID;
    """
}
