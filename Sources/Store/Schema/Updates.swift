// How the file of an older program gets the tables of today. A released update is never changed, so that this program opens the
// file of every earlier one.

extension Schema {
  /// Each has one statement or more.
  static let updates = [
    storeMark,
    downloadRequests,
    foldedNames,
    transferCrashes,
    innerAddresses,
    smallItems,
    details,
    announcedLinks,
    dueMoments,
    changesByStatements,
    keptUnseenCount,
    oneItemIndex,
    claims,
    consumers,
    catalog,
    reservedRequests,
    omittedAssets,
    renamedItems,
  ]

  /// To version 2: a random name of the store, which its temporary files carry.
  private static let storeMark = """
    ALTER TABLE owner ADD COLUMN mark TEXT;
    UPDATE owner SET mark = lower(hex(randomblob(4)));
    """

  /// To version 3: the requests of downloads, except those that are a fetch.
  ///
  /// Transfers are pruned earlier, so `transfer` is not a foreign key.
  private static let downloadRequests = """
    CREATE TABLE download_request (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      transfer INTEGER NOT NULL,
      hop INTEGER NOT NULL,
      -- The last fetch that had ended before: the position among the requests of fetches.
      fetch_before INTEGER NOT NULL,
      started INTEGER NOT NULL,
      milliseconds INTEGER,
      address TEXT NOT NULL,
      sent_entity_tag INTEGER NOT NULL,
      sent_modification_date INTEGER NOT NULL,
      status INTEGER,
      failure TEXT,
      bytes INTEGER
    ) STRICT;
    CREATE INDEX download_request_by_feed ON download_request (feed);
    """

  /// To version 4: names in lower case have "ss" for ẞ, as they already had for ß.
  ///
  /// Only ẞ had become ß.
  static let foldedNames = """
    UPDATE placed_file SET folded_name = replace(folded_name, 'ß', 'ss') WHERE folded_name LIKE '%ß%';
    """

  /// To version 5: the number of processes in a row that died while a transfer ran.
  private static let transferCrashes = "ALTER TABLE transfer ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;"

  /// To version 6: the private addresses of feeds, and of the assets that their documents or pushes named.
  private static let innerAddresses = """
    ALTER TABLE feed ADD COLUMN inner_address TEXT;
    ALTER TABLE asset ADD COLUMN inner_address TEXT;
    ALTER TABLE asset ADD COLUMN is_pushed INTEGER NOT NULL DEFAULT 0;
    """

  /// To version 7: items in half the space, in a new table so that whole pages become free.
  ///
  /// Summaries, most of the text, move to a table of their own. Seen items lose theirs, except those without a title and
  /// those that a hook for downloads may still need. Filtered items, which nobody sees, lose all texts.
  static let smallItems = """
    ALTER TABLE item RENAME TO large_item;

    CREATE TABLE item (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
      first_seen INTEGER NOT NULL,
      updated_at INTEGER,
      is_seen INTEGER NOT NULL,
      is_filtered INTEGER NOT NULL,
      -- Whether only the keys that recognise the item are left.
      is_pruned INTEGER NOT NULL DEFAULT 0,
      guid_key INTEGER,
      link_key INTEGER,
      title_key INTEGER,
      content_key INTEGER NOT NULL,
      edit_hash INTEGER NOT NULL,
      held_edit INTEGER,
      published INTEGER,
      -- NULL if there is a guid_key and the guid equals the link.
      guid TEXT,
      link TEXT,
      title TEXT,
      author TEXT
    ) STRICT;

    INSERT INTO item
    SELECT number, feed, first_seen, updated_at, is_seen, is_filtered, 0, guid_key, link_key, title_key, content_key,
      edit_hash, held_edit, published, iif(is_filtered, NULL, iif(guid_key IS NULL, guid, nullif(guid, link))),
      iif(is_filtered, NULL, link), iif(is_filtered, NULL, title), iif(is_filtered, NULL, author)
    FROM large_item ORDER BY number;

    CREATE TABLE summary (
      item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
      text TEXT NOT NULL
    ) STRICT;

    INSERT INTO summary
    SELECT number, summary FROM large_item
    WHERE summary IS NOT NULL AND NOT is_filtered AND (NOT is_seen OR coalesce(title, '') = ''
      OR feed IN (SELECT number FROM feed WHERE notes_assets))
    ORDER BY number;

    -- The sequence continues, so that no number is used twice even if the last item is gone.
    DELETE FROM sqlite_sequence WHERE name = 'item';
    UPDATE sqlite_sequence SET name = 'item' WHERE name = 'large_item';
    DROP TABLE large_item;
    CREATE INDEX item_by_feed ON item (feed);
    CREATE INDEX item_unseen ON item (feed) WHERE is_seen = 0 AND is_filtered = 0;
    """

  /// To version 8: the details of items besides title and link; summaries move there, so that an item still has two rows.
  static let details = """
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
      -- JSON: an array of texts, and one of objects with url, type and length.
      categories TEXT,
      enclosures TEXT,
      -- The content's length in bytes if it is compressed (LZ4; zstd in old rows), NULL if it is UTF-8.
      content_size INTEGER,
      -- Last: a row that is read for its summary need not be read to its end.
      content BLOB
    ) STRICT;

    INSERT INTO detail (item, summary) SELECT item, text FROM summary ORDER BY item;
    DROP TABLE summary;
    """

  /// To version 9: the links that messages have named.
  ///
  /// `feed` is not a foreign key: it only tells the feeds of a link apart.
  private static let announcedLinks = """
    CREATE TABLE announced_link (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      link INTEGER NOT NULL,
      hook TEXT NOT NULL,
      feed INTEGER NOT NULL,
      at INTEGER NOT NULL,
      UNIQUE (link, hook)
    ) STRICT;
    """

  /// To version 10: when each feed is due next, for very many feeds (`DueIndex`).
  ///
  /// A change of a feed makes its moment unknown. Recording a moment is not a change of the feed.
  private static let dueMoments = """
    ALTER TABLE feed ADD COLUMN due_at INTEGER;
    CREATE INDEX feed_due ON feed (due_at);
    ALTER TABLE owner ADD COLUMN due_note INTEGER;
    -- When all feeds were looked at, and the latest moment at which some were.
    ALTER TABLE owner ADD COLUMN due_noted INTEGER;
    ALTER TABLE owner ADD COLUMN due_latest INTEGER;

    DROP TRIGGER feed_changed;
    CREATE TRIGGER feed_changed AFTER UPDATE ON feed
      WHEN new.last_configured = old.last_configured AND new.due_at IS old.due_at
    BEGIN UPDATE owner SET changes = changes + 1; END;
    CREATE TRIGGER feed_due_unknown AFTER UPDATE ON feed
      WHEN new.last_configured = old.last_configured AND new.due_at IS old.due_at AND new.due_at IS NOT NULL
    BEGIN UPDATE feed SET due_at = NULL WHERE number = new.number; END;
    """

  /// To version 11: changes of feeds are counted, and their moments made unknown, by the statements that make them (`noteChange`).
  private static let changesByStatements = """
    DROP TRIGGER feed_changed;
    DROP TRIGGER feed_due_unknown;
    """

  /// To version 12: the number of unseen items from before and after the last `badge set`, of the configured feeds whose
  /// fingerprint `kept_of` is.
  private static let keptUnseenCount = """
    ALTER TABLE badge ADD COLUMN kept_of INTEGER;
    ALTER TABLE badge ADD COLUMN kept_before INTEGER;
    ALTER TABLE badge ADD COLUMN kept_after INTEGER;
    """

  /// To version 13: one index of items for all purposes: keeping a second one took a fifth of the time of adding an item.
  private static let oneItemIndex = """
    DROP INDEX item_by_feed;
    DROP INDEX item_unseen;
    CREATE INDEX item_by_feed ON item (feed, is_seen, is_filtered);
    """

  /// To version 14: the hosts that runs have claimed, where several machines share the store (Claims.swift).
  ///
  /// `feed.host` is where the feed was found to be at the last look. `run.lease` is the moment until which the run counts as
  /// alive, by the clock of the server.
  private static let claims = """
    ALTER TABLE feed ADD COLUMN host TEXT;
    ALTER TABLE run ADD COLUMN lease INTEGER;
    ALTER TABLE run ADD COLUMN machine TEXT;
    CREATE TABLE claim (
      host TEXT PRIMARY KEY,
      run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX claim_by_run ON claim (run);
    CREATE INDEX run_open ON run (number) WHERE ended IS NULL AND was_cut = 0;
    CREATE INDEX feed_by_host ON feed (host) WHERE host IS NOT NULL;
    """

  /// To version 15: events that wait for consumers (Consumers.swift), and the deliveries that are running, of which a hook with
  /// `parallel` has several.
  private static let consumers = """
    CREATE INDEX delivery_unread ON delivery (hook, number) WHERE status = 'unread';
    CREATE INDEX delivery_running ON delivery (hook) WHERE status = 'running';
    """

  /// To version 16: the feeds that stand in the store (Catalog.swift).
  ///
  /// A row without `url` is a feed that was removed: copies have to learn of that. `changed` is the version of the catalog in
  /// which the row changed last.
  private static let catalog = """
    ALTER TABLE owner ADD COLUMN catalog_version INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE catalog (
      name TEXT PRIMARY KEY,
      url TEXT,
      profile TEXT,
      tags TEXT NOT NULL,
      changed INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX catalog_changed ON catalog (changed);
    """

  /// To version 17: when the latest reserved request to a host begins (Claims.swift), in milliseconds since 1970 by the server's
  /// clock.
  private static let reservedRequests = """
    ALTER TABLE host ADD COLUMN reserved INTEGER;
    """

  /// To version 18: the rules by which assets were not queued.
  private static let omittedAssets = """
    ALTER TABLE asset ADD COLUMN omitted_by TEXT;
    """

  /// To version 19: documents whose items had the titles of known ones under other guids and links.
  private static let renamedItems = """
    ALTER TABLE feed ADD COLUMN renamed_documents INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE feed ADD COLUMN doubted_identity TEXT;
    """
}
