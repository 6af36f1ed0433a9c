-- The state of bgfetch 0.1.0; make-state says what is in it.
PRAGMA foreign_keys = OFF;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE all_machines (pause TEXT, pause_end INTEGER) STRICT;
INSERT INTO "all_machines" VALUES(NULL,NULL);
CREATE TABLE announced_link (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  link INTEGER NOT NULL,
  hook TEXT NOT NULL,
  feed INTEGER NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (link, hook)
) STRICT;
INSERT INTO "announced_link" VALUES(1,4894450922861505481,'log',2,1780300800);
INSERT INTO "announced_link" VALUES(2,4895576822768604320,'log',2,1780300800);
INSERT INTO "announced_link" VALUES(3,4897265672629157966,'log',2,1780300800);
INSERT INTO "announced_link" VALUES(4,4892762073000951835,'log',2,1780390800);
INSERT INTO "announced_link" VALUES(5,4893325022954406642,'log',2,1780390800);
CREATE TABLE asset (
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  item INTEGER NOT NULL,
  asset_key INTEGER NOT NULL,
  place INTEGER NOT NULL,
  url TEXT NOT NULL,
  type TEXT,
  length INTEGER,
  -- NULL if it is the item's title.
  description TEXT,
  -- The private address of the document or push that named it.
  inner_address TEXT,
  is_pushed INTEGER NOT NULL DEFAULT 0,
  -- The rule by which the fetch that found it did not queue it; NULL if it did, or no rule speaks of it.
  omitted_by TEXT,
  PRIMARY KEY (feed, item, asset_key)
) STRICT, WITHOUT ROWID;
INSERT INTO "asset" VALUES(4,6,-4016709315579480101,0,'https://planet.example/t1',NULL,NULL,NULL,NULL,0,NULL);
INSERT INTO "asset" VALUES(4,6,7074004896024433458,1,'http://talk.example/t1.mp3','audio/mpeg',300000,NULL,NULL,0,NULL);
INSERT INTO "asset" VALUES(4,14,-4017272265532934908,0,'https://planet.example/t2',NULL,NULL,NULL,NULL,0,NULL);
INSERT INTO "asset" VALUES(4,14,6332450416784389481,1,'http://talk.example/t2.mp3','audio/mpeg',300000,NULL,NULL,0,NULL);
CREATE TABLE attempt (
  feed INTEGER PRIMARY KEY REFERENCES feed ON DELETE CASCADE,
  run INTEGER NOT NULL,
  started INTEGER NOT NULL
) STRICT;
INSERT INTO "attempt" VALUES(2,6,1780397100);
CREATE TABLE badge (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  kept_of INTEGER,
  kept INTEGER
) STRICT;
INSERT INTO "badge" VALUES(1,5923197054446921742,11);
CREATE TABLE catalog (
  name TEXT PRIMARY KEY,
  url TEXT,
  tags TEXT NOT NULL,
  changed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "catalog" VALUES('buoy','http://buoy.example/feed','sea',1780300800000);
CREATE TABLE claim (
  host TEXT PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE
) STRICT;
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
INSERT INTO "delivery" VALUES(1,1,'log','delivered',1,1780300800,1780300800,NULL,NULL,NULL,NULL,1780300800,NULL,'{"group":"feed","title":"Planet: 3 new","sound":null,"urgency":"normal","identifier":"planet","link":"","id":null,"count":3,"badge":8}');
INSERT INTO "delivery" VALUES(2,2,'broken','expired',1,1780300800,1780300860,NULL,NULL,NULL,NULL,1780300800,'exit status 1','{"group":"feed","title":"Moon: 2 new","body":"Title of m1\nTitle of 3","sound":null,"urgency":"normal","identifier":"moon","link":"","id":null,"count":2,"badge":8,"items":[{"title":"Title of m1","link":"https://planet.example/m1","id":"m1","feed":"moon","feed-title":"Moon","published":null,"files":[],"number":5,"changes":null},{"title":"Title of 3","link":"https://planet.example/3","id":"3","feed":"moon","feed-title":"Moon","published":null,"files":[],"number":4,"changes":null}]}');
INSERT INTO "delivery" VALUES(3,3,'log','delivered',1,1780390800,1780390800,NULL,NULL,NULL,NULL,1780390800,NULL,'{"group":"feed","title":"Planet: 4 new","sound":null,"urgency":"normal","identifier":"planet","link":"","id":null,"count":4,"badge":11}');
INSERT INTO "delivery" VALUES(4,4,'broken','pending',4,1780390800,1780398540,NULL,NULL,NULL,NULL,1780396920,'exit status 1','{"group":"feed","title":"Moon: 1 new","body":"Title of m2","sound":null,"urgency":"normal","identifier":"moon","link":"https://planet.example/m2","id":"m2","count":1,"badge":11,"items":[{"title":"Title of m2","link":"https://planet.example/m2","id":"m2","feed":"moon","feed-title":"Moon","published":null,"files":[],"number":12,"changes":null}]}');
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
INSERT INTO "detail" VALUES(1,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F6620312E');
INSERT INTO "detail" VALUES(2,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F6620322E');
INSERT INTO "detail" VALUES(3,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F6620332E');
INSERT INTO "detail" VALUES(4,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F6620332E');
INSERT INTO "detail" VALUES(5,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F66206D312E');
INSERT INTO "detail" VALUES(6,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]','[{"url":"http://talk.example/t1.mp3","type":"audio/mpeg","length":300000}]',NULL,NULL,X'5468652074657874206F662074312E');
INSERT INTO "detail" VALUES(7,'
',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,X'3C7072653E416C6C206665727269657320617265206F6E2074696D652E3C2F7072653E');
INSERT INTO "detail" VALUES(8,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F662062312E');
INSERT INTO "detail" VALUES(9,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F662068312E');
INSERT INTO "detail" VALUES(10,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F6620342E');
INSERT INTO "detail" VALUES(11,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F6620352E');
INSERT INTO "detail" VALUES(12,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]',NULL,NULL,NULL,X'5468652074657874206F66206D322E');
INSERT INTO "detail" VALUES(13,'- All ferries are on time.
+ The ferry at noon is late.',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,X'3C7072653E2D20416C6C206665727269657320617265206F6E2074696D652E0A2B20546865206665727279206174206E6F6F6E206973206C6174652E3C2F7072653E3C68723E3C7072653E546865206665727279206174206E6F6F6E206973206C6174652E3C2F7072653E');
INSERT INTO "detail" VALUES(14,'
',NULL,NULL,NULL,NULL,NULL,NULL,'["news"]','[{"url":"http://talk.example/t2.mp3","type":"audio/mpeg","length":300000}]',NULL,NULL,X'5468652074657874206F662074322E');
CREATE TABLE directory (
  path TEXT PRIMARY KEY,
  first_used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "directory" VALUES('HOME/documents',1780300800);
CREATE TABLE download_request (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  transfer INTEGER NOT NULL,
  hop INTEGER NOT NULL,
  -- The last fetch that had ended before: the position among the requests of fetches.
  fetch_before INTEGER NOT NULL,
  started INTEGER NOT NULL DEFAULT 0, milliseconds INTEGER, address TEXT NOT NULL, sent_entity_tag INTEGER NOT NULL DEFAULT 0, sent_modification_date INTEGER NOT NULL DEFAULT 0, status INTEGER, failure TEXT, bytes INTEGER
) STRICT;
INSERT INTO "download_request" VALUES(1,4,1,0,7,1780300800000,5,'http://talk.example/t1.mp3',0,0,200,NULL,300000);
INSERT INTO "download_request" VALUES(2,4,2,0,21,1780396200000,39,'http://talk.example/t2.mp3',0,0,NULL,'suspended',NULL);
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
INSERT INTO "event" VALUES(1,'1780300800-1/notification/planet/','notification','planet',1780300800,'timer',1,'{"group":"feed","feed.title":"Planet","feed.link":"","identifier":"planet"}');
INSERT INTO "event" VALUES(2,'1780300800-1/notification/moon/','notification','moon',1780300800,'timer',1,'{"group":"feed","feed.title":"Moon","feed.link":"","identifier":"moon"}');
INSERT INTO "event" VALUES(3,'1780390800-2/notification/planet/','notification','planet',1780390800,'timer',2,'{"group":"feed","feed.title":"Planet","feed.link":"","identifier":"planet"}');
INSERT INTO "event" VALUES(4,'1780390800-2/notification/moon/','notification','moon',1780390800,'timer',2,'{"group":"feed","feed.title":"Moon","feed.link":"","identifier":"moon"}');
CREATE TABLE event_item (
  event INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
  item INTEGER NOT NULL,
  PRIMARY KEY (event, item)
) STRICT, WITHOUT ROWID;
INSERT INTO "event_item" VALUES(2,4);
INSERT INTO "event_item" VALUES(2,5);
INSERT INTO "event_item" VALUES(4,12);
CREATE TABLE feed (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  last_configured INTEGER NOT NULL,
  next_due INTEGER,
  request_fingerprint INTEGER, configuration_fingerprint INTEGER, validator_address TEXT, entity_tag TEXT, last_modified TEXT, validators_since INTEGER, last_asked INTEGER, last_counted INTEGER, last_success INTEGER, waits_since INTEGER, last_result TEXT, last_reason TEXT, fresh_until INTEGER, fresh_source TEXT, hint_time_to_live INTEGER, hint_skip_hours INTEGER NOT NULL DEFAULT 0, hint_skip_days INTEGER NOT NULL DEFAULT 0, hint_update_interval INTEGER, limited_until INTEGER, limited_without_retry_after INTEGER, limited_status INTEGER, failures INTEGER NOT NULL DEFAULT 0, backoff_class TEXT, backoff_failures INTEGER NOT NULL DEFAULT 0, gone_since INTEGER, is_gone INTEGER NOT NULL DEFAULT 0, failing_announced INTEGER NOT NULL DEFAULT 0, has_baseline INTEGER NOT NULL DEFAULT 0, crashes INTEGER NOT NULL DEFAULT 0, title TEXT, link TEXT, document_items INTEGER, replaced_at INTEGER, is_rebuilt INTEGER NOT NULL DEFAULT 0, quiet_items INTEGER NOT NULL DEFAULT 0, records_assets INTEGER NOT NULL DEFAULT 0, inner_address TEXT, page_hour INTEGER, pages_in_hour INTEGER NOT NULL DEFAULT 0, pages_not_before INTEGER,
  -- The person's pause, which no fetch changes.
  is_paused INTEGER NOT NULL DEFAULT 0,
  paused_until INTEGER,
  -- When it is due next, for very many feeds (DueIndex.swift); NULL if unknown.
  due_at INTEGER,
  -- Where it was found to be at the last look.
  host TEXT
) STRICT;
INSERT INTO "feed" VALUES(1,'buoy',1780390800,1780397880,6300991670827362646,-5751026045236922003,'http://buoy.example/feed','"242"',NULL,1780390800,1780390800,1780390800,1780390800,NULL,'no-data','nothing new',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0,0,1,0,'Buoy',NULL,1,NULL,0,0,0,NULL,NULL,0,NULL,0,NULL,0,NULL);
INSERT INTO "feed" VALUES(2,'planet',1780390800,1780397940,-4302782975351302865,3991721102655475987,'http://planet.example/feed','"940"',NULL,1780394460,1780394460,1780394460,1780394460,NULL,'no-data','nothing new',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0,0,1,0,'Planet',NULL,5,NULL,0,0,0,NULL,NULL,0,NULL,0,NULL,0,NULL);
INSERT INTO "feed" VALUES(3,'moon',1780396920,1780399680,-8486116229903739658,7812702570009641411,'http://moon.example/feed','"783"',NULL,1780396200,1780396200,1780396200,1780396200,NULL,'no-data','nothing new',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0,0,1,0,'Moon',NULL,3,NULL,0,0,0,NULL,NULL,0,NULL,0,NULL,NULL,NULL);
INSERT INTO "feed" VALUES(4,'talk',1780390800,1780399680,1116425441224193579,5331259642970166636,'http://talk.example/feed','"579"',NULL,1780396200,1780396200,1780396200,1780396200,NULL,'new-data','1 new',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0,0,1,0,'Talk',NULL,2,NULL,0,0,1,NULL,NULL,0,NULL,0,NULL,0,NULL);
INSERT INTO "feed" VALUES(5,'ferry',1780390800,1780397940,2489979904709348629,-5590352896097201429,'http://ferry.example/','"81"',NULL,1780394460,1780394460,1780394460,1780394460,NULL,'no-data','nothing new',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0,0,1,0,'Ferries','http://ferry.example/',NULL,NULL,0,0,0,NULL,NULL,0,NULL,0,NULL,0,NULL);
INSERT INTO "feed" VALUES(6,'harbour',1780390800,1780397940,-8630111393035554607,7861182522238577181,'http://harbour.example/new','"245"',NULL,1780394460,1780394460,1780394460,1780394460,NULL,'no-data','nothing new',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0,0,1,0,'Harbour',NULL,1,NULL,0,0,0,NULL,NULL,0,NULL,1,NULL,NULL,NULL);
INSERT INTO "feed" VALUES(7,'lost',1780390800,1780419908,922817912443118491,-6258999992120333457,NULL,NULL,NULL,NULL,1780390800,NULL,NULL,NULL,'failed','the server answered 404; check the address or remove the feed',NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,2,'refused',2,NULL,0,0,0,0,NULL,NULL,NULL,NULL,0,0,0,NULL,NULL,0,NULL,0,NULL,0,NULL);
CREATE TABLE fetch (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  run INTEGER,
  started INTEGER NOT NULL DEFAULT 0, ended INTEGER NOT NULL DEFAULT 0, result TEXT NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL DEFAULT 0, is_counted INTEGER NOT NULL DEFAULT 0,
  -- When the rules of that time allowed the next fetch.
  next_due INTEGER
) STRICT;
INSERT INTO "fetch" VALUES(1,2,1,1780300800,1780300800,'new-data','3 new',3,1,1780304280);
INSERT INTO "fetch" VALUES(2,3,1,1780300800,1780300800,'new-data','2 new',2,1,1780304280);
INSERT INTO "fetch" VALUES(3,7,1,1780300800,1780300800,'failed','the server answered 404; check the address or remove the feed',0,1,1780315508);
INSERT INTO "fetch" VALUES(4,4,1,1780300800,1780300800,'new-data','1 new',1,1,1780304280);
INSERT INTO "fetch" VALUES(5,5,1,1780300800,1780300800,'new-data','1 new',1,1,1780304280);
INSERT INTO "fetch" VALUES(6,1,1,1780300800,1780300800,'new-data','1 new',1,1,1780307880);
INSERT INTO "fetch" VALUES(7,6,1,1780300800,1780300800,'new-data','1 new',1,1,1780304280);
INSERT INTO "fetch" VALUES(8,2,2,1780390800,1780390800,'new-data','2 new',2,1,1780394280);
INSERT INTO "fetch" VALUES(9,3,2,1780390800,1780390800,'new-data','1 new',1,1,1780394280);
INSERT INTO "fetch" VALUES(10,5,2,1780390800,1780390800,'new-data','1 new',1,1,1780394280);
INSERT INTO "fetch" VALUES(11,4,2,1780390800,1780390800,'no-data','nothing new',0,1,1780394280);
INSERT INTO "fetch" VALUES(12,1,2,1780390800,1780390800,'no-data','nothing new',0,1,1780397880);
INSERT INTO "fetch" VALUES(13,7,2,1780390800,1780390800,'failed','the server answered 404; check the address or remove the feed',0,1,1780419908);
INSERT INTO "fetch" VALUES(14,6,2,1780390800,1780390800,'no-data','nothing new',0,1,1780394280);
INSERT INTO "fetch" VALUES(15,2,3,1780394460,1780394460,'no-data','nothing new',0,1,1780397940);
INSERT INTO "fetch" VALUES(16,3,3,1780394460,1780394460,'no-data','nothing new',0,1,1780397940);
INSERT INTO "fetch" VALUES(17,4,3,1780394460,1780394460,'no-data','nothing new',0,1,1780397940);
INSERT INTO "fetch" VALUES(18,5,3,1780394460,1780394460,'no-data','nothing new',0,1,1780397940);
INSERT INTO "fetch" VALUES(19,6,3,1780394460,1780394460,'no-data','nothing new',0,1,1780397940);
INSERT INTO "fetch" VALUES(20,4,4,1780396200,1780396200,'new-data','1 new',1,1,1780399680);
INSERT INTO "fetch" VALUES(21,3,5,1780396200,1780396200,'no-data','nothing new',0,1,1780399680);
CREATE TABLE host (
  name TEXT PRIMARY KEY,
  last_request INTEGER, limited_until INTEGER, limited_by TEXT,
  -- When the latest reserved request begins (Claims.swift), in milliseconds since 1970 by the server's clock.
  reserved INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "host" VALUES('buoy.example',1780390800,NULL,NULL,NULL);
INSERT INTO "host" VALUES('ferry.example',1780394460,NULL,NULL,NULL);
INSERT INTO "host" VALUES('harbour.example',1780394460,NULL,NULL,NULL);
INSERT INTO "host" VALUES('lost.example',1780390800,NULL,NULL,NULL);
INSERT INTO "host" VALUES('moon.example',1780396200,NULL,NULL,NULL);
INSERT INTO "host" VALUES('planet.example',1780397100,NULL,NULL,NULL);
INSERT INTO "host" VALUES('talk.example',1780396200,NULL,NULL,NULL);
CREATE TABLE host_fetches (
  name TEXT PRIMARY KEY, new_data INTEGER NOT NULL, no_data INTEGER NOT NULL, failed INTEGER NOT NULL,
  last_fetch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE hub (
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  place INTEGER NOT NULL,
  address TEXT NOT NULL,
  topic TEXT,
  PRIMARY KEY (feed, place)
) STRICT, WITHOUT ROWID;
INSERT INTO "hub" VALUES(3,0,'https://hub.example/','http://moon.example/feed');
CREATE TABLE intent (
  transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
  directory TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL DEFAULT 0, sha256 TEXT NOT NULL, modified INTEGER, device INTEGER NOT NULL DEFAULT 0, inode INTEGER NOT NULL DEFAULT 0, replaces INTEGER NOT NULL DEFAULT 0
) STRICT;
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
INSERT INTO "item" VALUES(1,2,1780300800,NULL,1,0,0,574148512446984985,4897265672629157966,1551265697887004586,2773544674335949417,5523142381041389793,NULL,NULL,'1','https://planet.example/1','Title of 1',NULL);
INSERT INTO "item" VALUES(2,2,1780300800,NULL,0,0,0,577526212168281502,4894450922861505481,1548450948119352101,-8298104735265416511,6894303790762794001,NULL,NULL,'2','https://planet.example/2','Title of 2',NULL);
INSERT INTO "item" VALUES(3,2,1780300800,NULL,0,0,0,576400312261182663,4895576822768604320,1549013898072806908,-7529819020939290003,1560419308825115766,NULL,NULL,'3','https://planet.example/3','Title of 3',NULL);
INSERT INTO "item" VALUES(4,3,1780300800,NULL,2,0,0,576400312261182663,4895576822768604320,1549013898072806908,-7529819020939290003,1560419308825115766,NULL,NULL,'3','https://planet.example/3','Title of 3',NULL);
INSERT INTO "item" VALUES(5,3,1780300800,NULL,0,0,0,626794303376088188,-4169449957825010467,-7055381431933226263,5992037847881302449,9057830315590947719,NULL,NULL,'m1','https://planet.example/m1','Title of m1',NULL);
INSERT INTO "item" VALUES(6,4,1780300800,NULL,0,0,0,6211945036817319403,-1324583469779346626,5806211908335094138,1445142335081299327,-787087051916341498,NULL,NULL,'t1','https://planet.example/t1','Title of t1',NULL);
INSERT INTO "item" VALUES(7,5,1780300800,NULL,0,0,0,3740748346214234102,6108307900215081655,6173071072442559564,4932335758558736663,-351010435661711910,NULL,1780300800,'2026-06-01T08:00:00Z/0','http://ferry.example/','Ferries',NULL);
INSERT INTO "item" VALUES(8,1,1780300800,NULL,0,0,0,-29931897355372391,-8567249079394605992,-6399218181155409716,155106910552711327,-2011495639958692612,NULL,NULL,'b1','https://planet.example/b1','Title of b1',NULL);
INSERT INTO "item" VALUES(9,6,1780300800,NULL,0,0,0,3745480970648236407,-2325372145221914198,8272113024550533102,5983989043012108695,5780591647350784375,NULL,NULL,'h1','https://planet.example/h1','Title of h1',NULL);
INSERT INTO "item" VALUES(10,2,1780390800,NULL,1,0,0,571333762679332500,4892762073000951835,1554080447654657071,9086391940762072813,977845321003255593,NULL,NULL,'4','https://planet.example/4','Title of 4',NULL);
INSERT INTO "item" VALUES(11,2,1780390800,NULL,0,0,0,570770812725877693,4893325022954406642,1555206347561755910,-1674593934201123423,5764645796067470580,NULL,NULL,'5','https://planet.example/5','Title of 5',NULL);
INSERT INTO "item" VALUES(12,3,1780390800,NULL,0,0,0,627920203283187027,-4166635208057357982,-7052566682165573778,-4246299690345415873,8305733252032772270,NULL,NULL,'m2','https://planet.example/m2','Title of m2',NULL);
INSERT INTO "item" VALUES(13,5,1780390800,NULL,0,0,0,5993037472308854741,6108307900215081655,-3532098919992349754,6659407415663545876,-1036650747202426510,NULL,1780390800,'2026-06-02T09:00:00Z/7','http://ferry.example/','Ferries: The ferry at noon is late.',NULL);
INSERT INTO "item" VALUES(14,4,1780396200,NULL,0,0,0,6210819136910220564,-1327398219546999111,5803397158567441653,5890463773583781653,-4018959829529526509,NULL,NULL,'t2','https://planet.example/t2','Title of t2',NULL);
CREATE TABLE machine (
  name TEXT NOT NULL, directory TEXT NOT NULL, version TEXT NOT NULL, sections TEXT NOT NULL,
  period INTEGER, begun INTEGER, last_sign INTEGER NOT NULL,
  clock_lead INTEGER NOT NULL,
  new_data INTEGER NOT NULL DEFAULT 0, no_data INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (name, directory)
) STRICT, WITHOUT ROWID;
CREATE TABLE marked (
  item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
  former INTEGER NOT NULL
) STRICT;
INSERT INTO "marked" VALUES(10,0);
CREATE TABLE move (
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  address TEXT NOT NULL, sightings INTEGER NOT NULL DEFAULT 0, first_seen INTEGER NOT NULL DEFAULT 0, is_learned INTEGER NOT NULL DEFAULT 0, is_doubted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (feed, address)
) STRICT, WITHOUT ROWID;
INSERT INTO "move" VALUES(6,'http://harbour.example/new',3,1780300800,1,0);
CREATE TABLE opening (
  feed INTEGER REFERENCES feed ON DELETE CASCADE,
  day_kind INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  -- The decayed number of openings, as of the last one.
  weight REAL NOT NULL,
  last INTEGER NOT NULL
) STRICT;
INSERT INTO "opening" VALUES(NULL,0,510,1.9675,1780389000);
INSERT INTO "opening" VALUES(2,0,510,1.0,1780302600);
CREATE TABLE opening_day (
  feed INTEGER REFERENCES feed ON DELETE CASCADE,
  day INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT;
INSERT INTO "opening_day" VALUES(NULL,20605,1780302600);
INSERT INTO "opening_day" VALUES(NULL,20606,1780389000);
INSERT INTO "opening_day" VALUES(2,20605,1780302600);
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
INSERT INTO "owner" VALUES(1,'HOME/bgfetch.yaml',1780390800,24,-5502533702731551919,1780390800,1780394220,16,'456ebae1',4462955784242478921,1780390800,1780396200,1780300800000);
CREATE TABLE placed_file (
  transfer INTEGER PRIMARY KEY REFERENCES transfer ON DELETE CASCADE,
  feed INTEGER NOT NULL,
  -- The name in lower case, with "ss" for ß.
  folded_name TEXT NOT NULL,
  directory TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL DEFAULT 0, sha256 TEXT NOT NULL, placed INTEGER NOT NULL DEFAULT 0, removed INTEGER
) STRICT;
INSERT INTO "placed_file" VALUES(1,4,'talk/2026-06-01 title of t1.mp3','HOME/documents','talk/2026-06-01 Title of t1.mp3',300000,'27fecc148f50dda18ec89755d83bb5700b91bffc747ce99f5e5d07e16ed6cf1d',1780300800,NULL);
CREATE TABLE printed (
  hook TEXT NOT NULL,
  identifier TEXT NOT NULL,
  session TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (hook, identifier)
) STRICT, WITHOUT ROWID;
INSERT INTO "printed" VALUES('log','planet','','7',1780390800);
CREATE TABLE push (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  content_id TEXT,
  -- Its fields are JSON: an object of the values beside "aps".
  alert_title TEXT, alert_body TEXT, sound TEXT, urgency TEXT, fields TEXT NOT NULL,
  received INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER
) STRICT;
INSERT INTO "push" VALUES(2,3,'42',NULL,NULL,NULL,NULL,'{"content-id":"42"}',1780396920,0,NULL);
CREATE TABLE push_fetch (
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  at INTEGER NOT NULL
) STRICT;
INSERT INTO "push_fetch" VALUES(3,1780396200);
CREATE TABLE repeated_item (
  item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
  first_item INTEGER NOT NULL
) STRICT;
INSERT INTO "repeated_item" VALUES(4,3);
CREATE TABLE request (
  fetch INTEGER NOT NULL REFERENCES fetch ON DELETE CASCADE,
  hop INTEGER NOT NULL,
  started INTEGER NOT NULL DEFAULT 0, milliseconds INTEGER, address TEXT NOT NULL, sent_entity_tag INTEGER NOT NULL DEFAULT 0, sent_modification_date INTEGER NOT NULL DEFAULT 0, status INTEGER, failure TEXT, bytes INTEGER,
  PRIMARY KEY (fetch, hop)
) STRICT, WITHOUT ROWID;
INSERT INTO "request" VALUES(1,0,1780300800000,4,'http://planet.example/feed',0,0,200,NULL,590);
INSERT INTO "request" VALUES(2,0,1780300800000,9,'http://moon.example/feed',0,0,200,NULL,604);
INSERT INTO "request" VALUES(3,0,1780300800000,15,'http://lost.example/feed',0,0,404,NULL,0);
INSERT INTO "request" VALUES(4,0,1780300800000,9,'http://talk.example/feed',0,0,200,NULL,321);
INSERT INTO "request" VALUES(5,0,1780300800000,14,'http://ferry.example/',0,0,200,NULL,79);
INSERT INTO "request" VALUES(6,0,1780300800000,17,'http://buoy.example/feed',0,0,200,NULL,242);
INSERT INTO "request" VALUES(7,0,1780300800000,14,'http://harbour.example/old',0,0,301,NULL,0);
INSERT INTO "request" VALUES(7,1,1780300800000,43,'http://harbour.example/new',0,0,200,NULL,245);
INSERT INTO "request" VALUES(8,0,1780390800000,4,'http://planet.example/feed',1,0,200,NULL,940);
INSERT INTO "request" VALUES(9,0,1780390800000,8,'http://moon.example/feed',1,0,200,NULL,783);
INSERT INTO "request" VALUES(10,0,1780390800000,12,'http://ferry.example/',1,0,200,NULL,81);
INSERT INTO "request" VALUES(11,0,1780390800000,12,'http://talk.example/feed',1,0,200,NULL,321);
INSERT INTO "request" VALUES(12,0,1780390800000,19,'http://buoy.example/feed',1,0,200,NULL,242);
INSERT INTO "request" VALUES(13,0,1780390800000,20,'http://lost.example/feed',0,0,404,NULL,0);
INSERT INTO "request" VALUES(14,0,1780390800000,13,'http://harbour.example/old',0,0,301,NULL,0);
INSERT INTO "request" VALUES(14,1,1780390800000,46,'http://harbour.example/new',1,0,200,NULL,245);
INSERT INTO "request" VALUES(15,0,1780394460000,5,'http://planet.example/feed',1,0,200,NULL,940);
INSERT INTO "request" VALUES(16,0,1780394460000,7,'http://moon.example/feed',1,0,200,NULL,783);
INSERT INTO "request" VALUES(17,0,1780394460000,9,'http://talk.example/feed',1,0,200,NULL,321);
INSERT INTO "request" VALUES(18,0,1780394460000,11,'http://ferry.example/',1,0,200,NULL,81);
INSERT INTO "request" VALUES(19,0,1780394460000,16,'http://harbour.example/old',0,0,301,NULL,0);
INSERT INTO "request" VALUES(19,1,1780394460000,42,'http://harbour.example/new',1,0,200,NULL,245);
INSERT INTO "request" VALUES(20,0,1780396200000,7,'http://talk.example/feed',1,0,200,NULL,579);
INSERT INTO "request" VALUES(21,0,1780396200000,46,'http://moon.example/feed',1,0,200,NULL,783);
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
INSERT INTO "run" VALUES(1,'timer',0,0,16708,1780300800,1780300800,0,7,6,0,1,9,0,3,'complete',1,0,0,0,1780300800,NULL,NULL);
INSERT INTO "run" VALUES(2,'timer',0,0,16773,1780390800,1780390800,0,7,3,3,1,4,0,3,'complete',0,0,0,0,1780390800,NULL,NULL);
INSERT INTO "run" VALUES(3,'timer',0,0,16807,1780394460,1780394460,0,5,0,5,0,0,0,0,'complete',0,0,0,0,1780394460,NULL,NULL);
INSERT INTO "run" VALUES(4,'timer',1,0,16825,1780396200,1780396200,0,1,1,0,0,1,0,0,'complete',0,0,0,0,NULL,NULL,NULL);
INSERT INTO "run" VALUES(5,'push',0,0,16825,1780396200,1780396200,0,1,0,1,0,0,0,0,'signal',0,0,0,1,1780396200,NULL,NULL);
INSERT INTO "run" VALUES(6,'timer',1,0,16855,1780397100,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,0,NULL,NULL,NULL);
CREATE TABLE session (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  opened INTEGER NOT NULL,
  closed INTEGER,
  finished INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO "session" VALUES(1,4,1780300800,1780300800,1,0,0);
INSERT INTO "session" VALUES(2,4,1780396200,NULL,0,0,0);
CREATE TABLE starred (
  item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE
) STRICT;
INSERT INTO "starred" VALUES(2);
CREATE TABLE transfer (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  feed INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
  session INTEGER NOT NULL,
  item INTEGER,
  asset_key INTEGER NOT NULL,
  place INTEGER NOT NULL,
  url TEXT NOT NULL,
  type TEXT,
  length INTEGER,
  description TEXT NOT NULL,
  queued INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'queued',
  -- When it settled; NULL while it is unsettled.
  settled INTEGER,
  -- Since when it is settled and has no file: pruning counts its age from here.
  bare_since INTEGER,
  is_suspended_by_user INTEGER NOT NULL DEFAULT 0,
  -- Whether the person asked for the file, so that `keep` ignores it.
  is_asked_for INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  not_before INTEGER,
  -- The process that works on it, whatever its status, if several machines share the store (Membership.swift).
  held_by INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  cuts INTEGER NOT NULL DEFAULT 0,
  -- The partial file.
  bytes INTEGER NOT NULL DEFAULT 0, total INTEGER, entity_tag TEXT, last_modified TEXT, date TEXT, accepts_ranges INTEGER, address TEXT, partial_sha256 TEXT,
  directory TEXT,
  -- The number of processes in a row that died while it ran.
  crashes INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO "transfer" VALUES(1,4,1,6,7074004896024433458,1,'http://talk.example/t1.mp3','audio/mpeg',300000,'Title of t1',1780300800,'finished',1780300800,NULL,0,0,NULL,NULL,NULL,0,NULL,0,300000,300000,'"e1"',NULL,NULL,1,'http://talk.example/t1.mp3','27fecc148f50dda18ec89755d83bb5700b91bffc747ce99f5e5d07e16ed6cf1d','HOME/documents',0);
INSERT INTO "transfer" VALUES(2,4,2,14,6332450416784389481,1,'http://talk.example/t2.mp3','audio/mpeg',300000,'Title of t2',1780396200,'suspended',NULL,NULL,0,0,'interrupted',NULL,NULL,0,NULL,0,200000,300000,'"e1"',NULL,NULL,1,'http://talk.example/t2.mp3','11293de38878c0839d6178b6320230f1b41d24e245a22429859a9b8976c23325','HOME/documents',0);
CREATE TABLE worker (
  number INTEGER PRIMARY KEY,
  alive_until INTEGER NOT NULL
) STRICT;
CREATE INDEX feed_due ON feed (due_at);
CREATE INDEX feed_by_host ON feed (host) WHERE host IS NOT NULL;
CREATE INDEX catalog_changed ON catalog (changed);
CREATE INDEX run_open ON run (number) WHERE ended IS NULL AND was_cut = 0;
CREATE INDEX fetch_by_feed ON fetch (feed);
CREATE INDEX item_by_feed ON item (feed, is_seen, is_filtered);
CREATE INDEX detail_waiting ON detail (item) WHERE page_tries IS NOT NULL;
CREATE INDEX delivery_open ON delivery (hook) WHERE status = 'pending' OR status = 'running';
CREATE INDEX delivery_lost ON delivery (hook) WHERE status = 'dead' OR status = 'expired';
CREATE INDEX delivery_running ON delivery (hook) WHERE status = 'running';
CREATE UNIQUE INDEX session_open ON session (feed) WHERE closed IS NULL;
CREATE INDEX session_by_feed ON session (feed);
CREATE INDEX transfer_by_feed ON transfer (feed, asset_key);
CREATE INDEX transfer_by_item ON transfer (item) WHERE item IS NOT NULL;
CREATE INDEX transfer_unsettled ON transfer (session) WHERE settled IS NULL;
CREATE INDEX transfer_failed ON transfer (feed) WHERE status = 'failed';
CREATE INDEX transfer_held ON transfer (held_by) WHERE held_by IS NOT NULL;
CREATE INDEX transfer_bare ON transfer (bare_since) WHERE bare_since IS NOT NULL;
CREATE INDEX download_request_by_feed ON download_request (feed);
CREATE INDEX placed_file_by_feed ON placed_file (feed) WHERE removed IS NULL;
CREATE INDEX placed_file_by_name ON placed_file (folded_name, directory) WHERE removed IS NULL;
CREATE INDEX push_by_feed ON push (feed, content_id);
CREATE INDEX push_fetch_by_feed ON push_fetch (feed);
CREATE INDEX push_fetch_by_time ON push_fetch (at);
CREATE UNIQUE INDEX opening_by_feed ON opening (feed, day_kind, minute);
CREATE INDEX opening_by_time ON opening (last);
CREATE UNIQUE INDEX opening_day_by_feed ON opening_day (feed, day);
CREATE INDEX opening_day_by_time ON opening_day (last);
CREATE INDEX claim_by_run ON claim (run);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('run',6);
INSERT INTO "sqlite_sequence" VALUES('item',14);
INSERT INTO "sqlite_sequence" VALUES('fetch',21);
INSERT INTO "sqlite_sequence" VALUES('event',4);
INSERT INTO "sqlite_sequence" VALUES('delivery',4);
INSERT INTO "sqlite_sequence" VALUES('session',2);
INSERT INTO "sqlite_sequence" VALUES('transfer',2);
INSERT INTO "sqlite_sequence" VALUES('announced_link',5);
INSERT INTO "sqlite_sequence" VALUES('download_request',2);
INSERT INTO "sqlite_sequence" VALUES('push',2);
COMMIT;
