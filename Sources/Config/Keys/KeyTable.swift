// Every key of the configuration, once: the source of the check for unknown keys, of suggestions, and of the schema.

import Core

/// One key of the configuration.
public struct ConfigurationKey: Hashable, Sendable {
  /// The dotted path, such as `feeds.*.notify.title`; `*` is a name that the user chooses.
  public let path: String
  /// The allowed values, in the words of `TypeWords`.
  public let type: String
  /// The default as one would write it; nil if there is none.
  public let defaultText: String?
  /// The purpose, in one line.
  public let help: String
  /// Whether its mapping must have it.
  public let isRequired: Bool
}

/// Every key, in the order of bgfetch.yaml(5).
///
/// CONTRIBUTING.md lists the other places of a new key. The schema follows from the words of its type.
/// `defaults` takes the keys of `feeds.*` except `url`, and `feeds.*.network` those of `network` except `keysOfRun`: they
/// are not written twice.
public let configurationKeys: [ConfigurationKey] = [
  key(
    "documents", "path or mapping", "$XDG_DATA_HOME/bgfetch/documents",
    "the directory for downloaded files, or a part of an S3 bucket"),
  key("documents.s3", "URL", nil, "the address of the bucket, and perhaps of a part of it", isRequired: true),
  key("documents.region", "text", "us-east-1", "the region for which requests are signed"),
  key("documents.access-key", "text or secret", nil, "the access key, which is a name", isRequired: true),
  key("documents.secret-key", "secret", nil, "the secret key", isRequired: true),
  key(
    "documents.path-style", "true or false", "false",
    "whether the bucket is the first part of the path, and not a part of the host's name"),
  key(
    "documents.insecure", "true or false", "false",
    "whether files may be sent as clear text, to an http URL that is not of this machine"),
  key(
    "state", "path or mapping", "$XDG_STATE_HOME/bgfetch",
    "the directory for state kept between runs, or the PostgreSQL database that several machines share"),
  key(
    "state.postgres", "text", nil,
    "the connection string or postgresql:// URI of the database, without a password"
  ),
  key("state.password", "secret", nil, "its password; by default that of ~/.pgpass or none"),
  key("badge", "path", "$XDG_STATE_HOME/bgfetch/badge", "the file with the number of unseen items"),
  key(
    "snapshot", "path or none", "none", "an HTML page of unseen items, rewritten whenever the badge changes"),
  key(
    "outputs", "mapping", "{}", "files to write from items, by path: HTML pages, or feeds for other readers"),
  key("outputs.*", "mapping", nil, "an output file"),
  key(
    "outputs.*.format", OutputFormat.words, nil,
    "the format; by default taken from the extension .html, .atom, .xml or .json"),
  key("outputs.*.feeds", "list of globs", nil, "the feeds to include, by name, glob or @tag"),
  key(
    "outputs.*.unseen", "true or false", nil, "whether to include only unseen items; true by default for html"
  ),
  key("outputs.*.limit", "1 to 5000", nil, "the maximum number of items"),
  key("outputs.*.title", "text", nil, "the title"),
  key("outputs.*.images", "true or false", nil, "whether the page loads images from other servers"),
  key("timezone", "time zone or system", "system", "the time zone of schedules and hours"),
  key("free-space", "size", "512MiB", "suspend transfers if the file system has less free space than this"),
  key(
    "include", "path or list of paths", "[]", "further configuration files, with feeds, hooks and defaults"),

  key(
    "budget", "duration, none or mapping", "{}",
    "the time limits of a run; a single value sets fetch"),
  key("budget.fetch", "duration or none", "3m", "the time limit of the fetch phase"),
  key("budget.transfers", "duration or none", "none", "the time limit of the transfer phase"),
  key("budget.warning", "duration", "10s", "how long before its limit a phase stops starting new work"),

  key("network", "mapping", "{}", "settings for all requests"),
  key(
    "network.connections", "1 to 1000", "32",
    "maximum connections for feeds, and the same number for transfers"),
  key(
    "network.connections-per-host", "1 to 100", "1",
    "maximum connections per host for feeds, and the same number for transfers"),
  key(
    "network.delay-per-host", "duration", "1s", "the delay between two requests to the same public host"
  ),
  key("network.connect-timeout", "duration", "10s", "the time limit for connecting"),
  key(
    "network.timeout", "duration", "60s", "the time limit for fetching one feed; transfers have none"),
  key("network.stall", "mapping", "{}", "when to give up on a slow response"),
  key("network.stall.below", "size per second", "1KiB/s", "a slower response counts as stalled"),
  key("network.stall.for", "duration", "30s", "how long a response may stall"),
  key("network.rate-limit", "size per second or none", "none", "the maximum rate of all transfers together"),
  key("network.max-feed-size", "size", "32MiB", "the maximum size of a feed document, after decompression"),
  key("network.max-redirects", "0 to 50", "10", "the maximum number of redirects per fetch"),
  key(
    "network.private-addresses", "same-as-feed, allow, refuse or list of networks", "same-as-feed",
    "the private addresses that redirects and links may lead to"),
  key(
    "network.freshness-limit", "duration", "7d",
    "the longest max-age, Expires or ttl to obey; 0s ignores them"),
  key("network.proxy", "environment, none or proxy URL", "environment", "the proxy"),
  key("network.user-agent", "text", "bgfetch/VERSION", "the User-Agent header"),
  key("network.ca-file", "path or system", "system", "the file with the trusted CA certificates"),

  key("defaults", "mapping", "{}", "keys for every feed that does not set them itself"),
  key("profiles", "mapping", "{}", "keys for feeds of the catalog, by the name of the profile"),
  key("profiles.*", "mapping", nil, "the keys of a profile, over those of defaults"),
  key("feeds", "mapping", nil, "the feeds by name"),
  key("feeds.*", "URL or mapping", nil, "a feed, or just its address"),
  key(
    "feeds.*.url", "URL or secret", nil,
    "the address of the feed; a file: URL reads a local file; required unless there is a command"),
  key(
    "feeds.*.command", "list of text", nil,
    "a program and its arguments that print the document; with url, they filter the response"),
  key(
    "feeds.*.kind", "feed, json, html or asset", "feed",
    "feed: RSS, Atom or JSON Feed, detected; json: any other JSON; html: a web page; asset: a single file"),
  key("feeds.*.title", "text", "none", "the title to show instead of the feed's own"),
  key("feeds.*.tags", "list of tags", "[]", "labels that select several feeds at once, as in @linux"),
  key(
    "feeds.*.minimum-interval", "duration, every-run or never", "none",
    "the minimum time between two fetches; by default 1h, or 24h if the server sends no validators"),
  key("feeds.*.schedule", "cron expression or list", "none", "when the feed becomes due"),
  key(
    "feeds.*.hours", "hours of the week, list or always", "always",
    "when the feed may be fetched, for example \"mon-fri 08:00-18:00\""),
  key(
    "feeds.*.adapt", "none or habits", "none",
    "habits: fetch shortly before the times you usually look"),
  key("feeds.*.headers", "mapping of text or secrets", "{}", "additional request headers"),
  key("feeds.*.headers.*", "text or secret", nil, "the value of the header"),
  key(
    "feeds.*.body", "text or JSON", "none",
    "the body of the request, which is then a POST; a mapping or list is sent as JSON"),
  key(
    "feeds.*.cookies", "path or none", "none",
    "a browser's cookies.txt; its cookies for this host are sent"),
  key("feeds.*.auth", "mapping", "none", "the credentials"),
  key("feeds.*.auth.username", "text", "none", "the user name"),
  key("feeds.*.auth.password", "secret", "none", "the password"),
  key("feeds.*.auth.scheme", "basic or digest", nil, "how name and password are sent"),
  key("feeds.*.auth.bearer", "secret", "none", "a bearer token"),
  key("feeds.*.auth.certificate", "path", nil, "a client certificate, as a PEM file"),
  key(
    "feeds.*.auth.key", "path", nil, "its private key, if it is in another file; password decrypts the key"),
  key("feeds.*.auth.netrc", "true or false", "false", "whether to look for credentials in ~/.netrc"),
  key("feeds.*.identity", "guid, link or title", "guid", "the field that identifies an item"),
  key(
    "feeds.*.first-run", "none, latest, all, a number or mapping", "{notify: none, download: latest}",
    "which items of the first successful fetch to announce and download; a single value sets both"),
  key(
    "feeds.*.first-run.notify", "none, latest, all or a number", "none",
    "which items of the first fetch to announce"),
  key(
    "feeds.*.first-run.download", "none, latest, all or a number", "latest",
    "which items of the first fetch to download files for"),
  key("feeds.*.filter", "mapping", "{}", "which items to use; the others are ignored"),
  key(
    "feeds.*.filter.include", "list of regular expressions", "[]",
    "use only items whose title, link or category matches one of these"),
  key(
    "feeds.*.filter.exclude", "list of regular expressions", "[]",
    "ignore items whose title, link or category matches one of these"),
  key(
    "feeds.*.content", "size or none", "64KiB",
    "the maximum content to store per item, up to 4MiB; none stores only the summary"),
  key("feeds.*.updated", "silent, notify or mapping", "silent", "whether an edited item is announced"),
  key("feeds.*.updated.notify", "true or false", "true", "whether edits are announced"),
  key(
    "feeds.*.updated.at-most", "duration", "1d",
    "announce edits of an item at most once in this time; 0s announces every edit"),
  key(
    "feeds.*.json", "mapping or none", "none",
    "for kind json: where the items and their fields are"),
  key(
    "feeds.*.json.items", "pointer or list of pointers", nil, "the list of items, relative to the document"),
  key("feeds.*.json.id", pointers, nil, "an item's identity, relative to the item"),
  key("feeds.*.json.title", pointers, nil, "an item's title"),
  key("feeds.*.json.link", pointers, nil, "an item's page"),
  key("feeds.*.json.published", pointers, nil, "when an item was published"),
  key("feeds.*.json.updated", pointers, nil, "when an item last changed"),
  key("feeds.*.json.summary", pointers, nil, "an item's summary, as text or HTML"),
  key("feeds.*.json.author", pointers, nil, "an item's author"),
  key("feeds.*.json.assets", pointers, nil, "an item's files"),
  key(
    "feeds.*.json.only", "mapping", nil,
    "use only items whose members have these values, as in {prerelease: false}"),
  key("feeds.*.json.only.*", "text or list of text", nil, "the values that the member may have"),
  key(
    "feeds.*.json.allow-empty", "true or false", nil,
    "whether a document with nothing at the place of the items has none; by default it is a failure"),
  key(
    "feeds.*.html", "mapping or none", "none",
    "for kind html: where the items and their fields are; without items, each change of the text is an item"),
  key("feeds.*.html.items", "selector", nil, "the elements that are items, by a CSS selector"),
  key(
    "feeds.*.html.text", "selector", nil,
    "without items: the elements whose text to watch; by default the whole body but navigation"),
  key("feeds.*.html.id", "selector", nil, "an item's identity; by default its link"),
  key(
    "feeds.*.html.title", "selector", nil,
    "an item's title; by default its first heading, or the text of its first link"),
  key("feeds.*.html.link", "selector", nil, "an item's page; by default its first link"),
  key(
    "feeds.*.html.published", "selector", nil, "when an item was published; by default its first time element"
  ),
  key("feeds.*.html.updated", "selector", nil, "when an item last changed"),
  key("feeds.*.html.summary", "selector", nil, "an item's content, as HTML"),
  key("feeds.*.html.author", "selector", nil, "an item's author"),
  key("feeds.*.html.assets", "selector", nil, "an item's files, for example img@src"),
  key(
    "feeds.*.html.allow-empty", "true or false", nil,
    "whether a page in which nothing matches items or text is empty; by default it is a failure"),
  key("feeds.*.download", "mapping or none", "none", "which files to download; {} means all enclosures"),
  key(
    "feeds.*.download.select", "enclosures, images, links or all", "enclosures",
    "which files of an item to download"),
  key("feeds.*.download.directory", "path", "none", "a documents directory for this feed only"),
  key(
    "feeds.*.download.types", "list of media types", "[]",
    "the media types to download, for example \"audio/*\""),
  key("feeds.*.download.filter", "mapping", "{}", "which files to download, by their URL"),
  key(
    "feeds.*.download.filter.include", "list of regular expressions", "[]",
    "download only files whose URL matches one of these"),
  key(
    "feeds.*.download.filter.exclude", "list of regular expressions", "[]",
    "skip files whose URL matches one of these"),
  key(
    "feeds.*.download.name", "template or none", "none",
    "the file name; a slash creates directories, as in \"{feed}/{title}{ext}\""),
  key(
    "feeds.*.download.limit", "1 to 1000000 or none", "none",
    "the maximum number of transfers that a run starts"),
  key("feeds.*.download.max-size", "size or none", "none", "larger files are not downloaded"),
  key(
    "feeds.*.download.keep", "mapping or none", "none", "which files to keep; the newest one is never deleted"
  ),
  key("feeds.*.download.keep.count", "1 to 1000000 or none", "none", "the maximum number of files"),
  key("feeds.*.download.keep.age", "duration or none", "none", "how long to keep a file"),
  key("feeds.*.download.keep.size", "size or none", "none", "the maximum total size of the files"),
  key(
    "feeds.*.download.insecure-redirects", "refuse or allow", "refuse",
    "whether a redirect of a file may lead from https to http"),
  key("feeds.*.download.priority", "-1000 to 1000", "0", "feeds with a higher priority download first"),
  key("feeds.*.notify", "mapping or none", "{}", "how new items are announced"),
  key("feeds.*.notify.hooks", "all or list of hooks", "all", "the hooks that get the notifications"),
  key("feeds.*.notify.group", "item, feed or run", "feed", "what one notification covers"),
  key("feeds.*.notify.title", "template", "\"{feed.title}: {count} new\"", "the title of the notification"),
  key("feeds.*.notify.body", "template", "\"{titles}\"", "the body of the notification"),
  key("feeds.*.notify.item", "template", "\"{item.title}\"", "the line of each item in {titles}"),
  key("feeds.*.notify.sound", "text", "none", "the name of a sound"),
  key("feeds.*.notify.urgency", "low, normal or critical", "normal", "how urgent the notification is"),
  key(
    "feeds.*.notify.identifier", "template", "\"{feed}\"",
    "a notification replaces an earlier one with the same identifier"),
  key("feeds.*.notify.delay", "duration", "0s", "how long to delay a notification, up to 7d"),
  key(
    "feeds.*.notify.when", "ready or at-once", "ready",
    "ready: wait up to 24h for the files of the items; at-once: do not wait"),
  key(
    "feeds.*.notify.hours", "hours of the week, list or always", "always",
    "when notifications may be delivered; at other times they are collected into one summary"),
  key(
    "feeds.*.notify.failures", "0 to 1000", "3",
    "consecutive failures before the event failing; 0 means never"),
  key("feeds.*.push", "mapping", "{}", "what a push fetches, and how often pushes may fetch"),
  key(
    "feeds.*.push.url", "URL template or none", "none",
    "the file to download on a push, instead of fetching the feed, as in \"https://planet.example/{content-id}.mp3\""
  ),
  key(
    "feeds.*.push.description", "template or none", "none",
    "the title of that file, as in \"Episode {content-id}\""),
  key(
    "feeds.*.push.limit", "number in a duration", "6/1h",
    "the maximum number of fetches caused by pushes, up to 1000 in up to 30d"),
  key(
    "feeds.*.network", "mapping", "{}",
    "the keys of network for this feed, except connections and rate-limit"),

  key("hooks", "mapping", "{}", "the hooks by name"),
  key("hooks.*", "mapping", nil, "a hook"),
  key(
    "hooks.*.events", "list of events", nil, "the events that run the program; required unless digest is set"),
  key(
    "hooks.*.consumer", "true or false", "false",
    "whether events wait until bgfetch events prints them, and no program is run"),
  key(
    "hooks.*.run", "list of templates or lists of templates", nil, "the program and its arguments"),
  key("hooks.*.webhook", "URL or mapping", nil, "the address to post events to, instead of run"),
  key("hooks.*.webhook.url", "URL or secret", nil, "the address", isRequired: true),
  key("hooks.*.webhook.secret", "secret", nil, "the key of the signature in X-Hub-Signature-256"),
  key("hooks.*.webhook.headers", "mapping of text or secrets", nil, "additional request headers"),
  key("hooks.*.webhook.headers.*", "text or secret", nil, "the value of the header"),
  key(
    "hooks.*.feeds", "list of globs", "[\"*\"]", "the feeds whose events the hook gets, by name, glob or @tag"
  ),
  key(
    "hooks.*.limit", "1 to 1000 or none", "5",
    "the maximum notifications per run; further ones are joined into one"),
  key(
    "hooks.*.digest", "cron expression, list or none", "none",
    "when to deliver all notifications since the last digest, as one message"),
  key("hooks.*.to", "text or list of text", nil, "the mail addresses of the recipients"),
  key("hooks.*.from", "text", nil, "the mail address of the sender"),
  key(
    "hooks.*.stdin", "json, mail, none or template", "json",
    "what the program gets on standard input; mail by default with to or digest"),
  key("hooks.*.timeout", "duration", "30s", "how long the program may run"),
  key(
    "hooks.*.parallel", "1 to 64", "1",
    "how many deliveries may run at the same time, of each feed only one"),
  key("hooks.*.retries", "0 to 100", "5", "how often to retry a failed delivery"),
  key("hooks.*.expires", "duration", "12h", "drop deliveries that are older"),
  key("hooks.*.needs", "none or session-bus", "none", "what a delivery waits for"),
  key("hooks.*.environment", "mapping of text or secrets", "{}", "additional environment variables"),
  key("hooks.*.environment.*", "text or secret", nil, "the value of the variable"),
]

/// The keys of a secret, which has exactly one of them.
public let secretKeys: [ConfigurationKey] = [
  key("env", "name", nil, "the secret is in this environment variable"),
  key("file", "path", nil, "the secret is the first line of this file"),
  key("credential", "name", nil, "the secret is this systemd credential"),
  key("command", "list of text", nil, "the secret is the first line of this program's output"),
]

private let pointers = "pointer, template or list of pointers or templates"

private func key(
  _ path: String, _ type: String, _ defaultText: String?, _ help: String, isRequired: Bool = false
) -> ConfigurationKey {
  ConfigurationKey(path: path, type: type, defaultText: defaultText, help: help, isRequired: isRequired)
}

/// The table, indexed for the readers.
enum KeyTable {
  /// The keys of each mapping, by its path; the path of the whole file is empty.
  static let children: [String: Set<String>] = {
    var children: [String: Set<String>] = [:]
    for key in configurationKeys {
      let (parent, name) = split(key.path)
      if name != "*" { children[parent, default: []].insert(name) }
    }
    return children
  }()

  /// The keys of a file that another one includes.
  static let keysOfIncludes: Set = ["defaults", "feeds", "hooks"]

  /// The keys of `network` that concern the whole run, and are not allowed under a feed.
  static let keysOfRun: Set = ["connections", "rate-limit"]

  /// The keys that may differ between machines that share a state, by the path of their mapping.
  static let keysOfMachine: [String: Set<String>] = [
    "network": keysOfRun.union(["proxy", "ca-file"]),
    "hooks.*": ["run", "webhook", "environment", "needs"],
  ]

  /// The rows of a mapping, with the names of the keys, in the order of the table.
  static func rows(under path: String) -> [(name: String, key: ConfigurationKey)] {
    configurationKeys.compactMap { key in
      let (parent, name) = split(key.path)
      return parent == path ? (name, key) : nil
    }
  }

  /// The mappings that have a key of this name, in the order of the table.
  static let homes: [String: [String]] = {
    var homes: [String: [String]] = [:]
    for key in configurationKeys {
      let (parent, name) = split(key.path)
      if name != "*" { homes[name, default: []].append(parent) }
    }
    return homes
  }()

  /// The smallest configuration, as a cure.
  static let feedsExample = "write feeds: {planet: https://…}"

  private static func split(_ path: String) -> (parent: String, name: String) {
    guard let dot = path.lastIndex(of: ".") else { return ("", path) }
    return (String(path[..<dot]), String(path[path.index(after: dot)...]))
  }
}
