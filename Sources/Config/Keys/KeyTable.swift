// Every key of the configuration, once: the source of the check for unknown keys, of suggestions, and of the schema.

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
/// `defaults` takes the keys of `feeds.*` but `url`, and `feeds.*.network` those of `network` but for `keysOfRun`: they
/// are not written twice.
public let configurationKeys: [ConfigurationKey] = [
  key("documents", "path", "$XDG_DATA_HOME/bgfetch/documents", "the directory of downloaded files"),
  key("state", "path", "$XDG_STATE_HOME/bgfetch", "the directory of what is remembered between runs"),
  key("badge", "path", "$XDG_STATE_HOME/bgfetch/badge", "the file that holds the number of unseen items"),
  key("snapshot", "path or none", "none", "a page of what is new, written whenever the badge changes"),
  key("outputs", "mapping", "{}", "files made of items, by path: pages, and feeds for other readers"),
  key("outputs.*", "mapping", nil, "one file"),
  key(
    "outputs.*.format", "html, atom, rss or json-feed", nil,
    "the format; by default that of the ending .html, .atom, .rss, .xml or .json"),
  key("outputs.*.feeds", "list of globs", nil, "the feeds whose items it has, by name, glob or @tag"),
  key(
    "outputs.*.unseen", "true or false", nil, "whether it has only unseen items; by default a page has"),
  key("outputs.*.limit", "1 to 5000", nil, "the most items"),
  key("outputs.*.title", "text", nil, "the title"),
  key("outputs.*.images", "true or false", nil, "whether a page refers to images on other servers"),
  key("timezone", "time zone or system", "system", "the time zone of schedules and hours"),
  key("free-space", "size", "512MiB", "transfers to a file system with less free space are suspended"),
  key("include", "path or list of paths", "[]", "more files with their own feeds, hooks and defaults"),

  key(
    "budget", "length of time, none or mapping", "{}",
    "how long a run may take; a single duration is for fetch"),
  key("budget.fetch", "length of time or none", "3m", "how long the fetch phase may take"),
  key("budget.transfers", "length of time or none", "none", "how long the transfer phase may take"),
  key("budget.warning", "length of time", "10s", "how long before its end a phase starts nothing new"),

  key("network", "mapping", "{}", "limits of all requests"),
  key("network.connections", "1 to 1000", "32", "the most connections for feeds, and as many for transfers"),
  key(
    "network.connections-per-host", "1 to 100", "1",
    "the most connections to one host for feeds, and as many for transfers"),
  key("network.delay-per-host", "length of time", "1s", "the time between two requests to one public host"),
  key("network.connect-timeout", "length of time", "10s", "how long connecting may take"),
  key("network.timeout", "length of time", "60s", "how long one feed may take in all; not for transfers"),
  key("network.stall", "mapping", "{}", "when a slow response is given up"),
  key("network.stall.below", "size per second", "1KiB/s", "a slower response counts as stalled"),
  key("network.stall.for", "length of time", "30s", "how long a response may be stalled"),
  key("network.rate-limit", "size per second or none", "none", "the highest rate of all transfers together"),
  key("network.max-feed-size", "size", "32MiB", "the largest document of a feed, after decompression"),
  key("network.max-redirects", "0 to 50", "10", "the most redirects of one fetch"),
  key(
    "network.private-addresses", "same-as-feed, allow, refuse or list of networks", "same-as-feed",
    "the private addresses that redirects and links may lead to"),
  key(
    "network.freshness-limit", "length of time", "7d",
    "the longest max-age, Expires or ttl that is obeyed; 0s ignores them"),
  key("network.proxy", "environment, none or proxy URL", "environment", "the proxy"),
  key("network.user-agent", "text", "bgfetch/VERSION", "the User-Agent field"),
  key("network.ca-file", "path or system", "system", "the file of trusted certificates"),

  key("defaults", "mapping", "{}", "keys for every feed that does not set them itself"),
  key("feeds", "mapping", nil, "the feeds by name"),
  key("feeds.*", "URL or mapping", nil, "a feed, or just its address"),
  key(
    "feeds.*.url", "URL or secret", nil, "the address of the feed; a file: URL is a file on this machine",
    isRequired: true),
  key(
    "feeds.*.kind", "feed, json or asset", "feed",
    "feed is RSS, Atom or JSON Feed, detected; json is other JSON; asset is a single file"),
  key("feeds.*.title", "text", "none", "the title shown to people; else the feed's own"),
  key("feeds.*.tags", "list of tags", "[]", "words that select several feeds at once, as in @linux"),
  key(
    "feeds.*.minimum-interval", "length of time, every-run or never", "none",
    "the least time between two fetches; by default 1h, or 24h if the server sends no validators"),
  key("feeds.*.schedule", "cron expression or list", "none", "due from a matching minute on"),
  key(
    "feeds.*.hours", "hours of the week, list or always", "always",
    "when the feed may be fetched, for example \"mon-fri 08:00-18:00\""),
  key(
    "feeds.*.adapt", "none or habits", "none",
    "whether to fetch shortly before the times at which you usually look"),
  key("feeds.*.headers", "mapping of text or secrets", "{}", "more request headers"),
  key("feeds.*.headers.*", "text or secret", nil, "one header's value"),
  key("feeds.*.auth", "mapping", "none", "the credentials"),
  key("feeds.*.auth.username", "text", "none", "the user name for HTTP Basic"),
  key("feeds.*.auth.password", "secret", "none", "the password for HTTP Basic"),
  key("feeds.*.auth.bearer", "secret", "none", "a bearer token"),
  key("feeds.*.auth.netrc", "true or false", "false", "whether to look for credentials in ~/.netrc"),
  key("feeds.*.identity", "guid, link or title", "guid", "what makes two items the same"),
  key(
    "feeds.*.first-run", "none, latest, all, a number or mapping", "{notify: none, download: latest}",
    "which items of the first successful fetch count as new; a single value is for both"),
  key(
    "feeds.*.first-run.notify", "none, latest, all or a number", "none",
    "the items of the first fetch that are announced"),
  key(
    "feeds.*.first-run.download", "none, latest, all or a number", "latest",
    "the items of the first fetch whose files are downloaded"),
  key("feeds.*.filter", "mapping", "{}", "which items count; the others are ignored"),
  key(
    "feeds.*.filter.include", "list of regular expressions", "[]",
    "an item counts if one matches its title, link or a category"),
  key("feeds.*.filter.exclude", "list of regular expressions", "[]", "an item does not count if one matches"),
  key(
    "feeds.*.content", "size or none", "64KiB",
    "the most content to keep of an item, at most 4MiB; none keeps only its summary"),
  key("feeds.*.updated", "silent, notify or mapping", "silent", "whether an edited item is announced"),
  key("feeds.*.updated.notify", "true or false", "true", "whether edits are announced"),
  key(
    "feeds.*.updated.at-most", "length of time", "1d",
    "at most one announcement of an item in this time; 0s announces every edit"),
  key(
    "feeds.*.json", "mapping or none", "none",
    "where to find the items and their parts in a document of kind json"),
  key("feeds.*.json.items", "pointer or list of pointers", nil, "the list of items, from the root"),
  key("feeds.*.json.id", "pointer or list of pointers", nil, "an item's identity, from the item"),
  key("feeds.*.json.title", "pointer or list of pointers", nil, "an item's title"),
  key("feeds.*.json.link", "pointer or list of pointers", nil, "an item's page"),
  key("feeds.*.json.published", "pointer or list of pointers", nil, "when an item was published"),
  key("feeds.*.json.updated", "pointer or list of pointers", nil, "when an item last changed"),
  key("feeds.*.json.summary", "pointer or list of pointers", nil, "an item's summary, as text or HTML"),
  key("feeds.*.json.author", "pointer or list of pointers", nil, "an item's author"),
  key("feeds.*.json.assets", "pointer or list of pointers", nil, "an item's files"),
  key("feeds.*.download", "mapping or none", "none", "which files of the items to download; {} is all"),
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
    "a file is downloaded if one matches its URL"),
  key(
    "feeds.*.download.filter.exclude", "list of regular expressions", "[]",
    "a file is not downloaded if one matches its URL"),
  key(
    "feeds.*.download.name", "template or none", "none",
    "the file's name; a slash makes directories, as in \"{feed}/{title}{ext}\""),
  key("feeds.*.download.limit", "1 to 1000000 or none", "none", "the most transfers that a run starts"),
  key("feeds.*.download.max-size", "size or none", "none", "larger files are not downloaded"),
  key("feeds.*.download.keep", "mapping or none", "none", "the files to keep; the newest one always stays"),
  key("feeds.*.download.keep.count", "1 to 1000000 or none", "none", "the most files to keep"),
  key("feeds.*.download.keep.age", "length of time or none", "none", "how long to keep the file of an item"),
  key("feeds.*.download.keep.size", "size or none", "none", "the most space for the files"),
  key("feeds.*.download.priority", "-1000 to 1000", "0", "feeds with a higher priority download first"),
  key("feeds.*.notify", "mapping or none", "{}", "how new items are announced"),
  key("feeds.*.notify.hooks", "all or list of hooks", "all", "the hooks that get the messages"),
  key("feeds.*.notify.group", "item, feed or run", "feed", "what one message covers"),
  key("feeds.*.notify.title", "template", "\"{feed.title}: {count} new\"", "the message's title"),
  key("feeds.*.notify.body", "template", "\"{titles}\"", "the message's body"),
  key("feeds.*.notify.item", "template", "\"{item.title}\"", "how each item is written in {titles}"),
  key("feeds.*.notify.sound", "text", "none", "the name of a sound"),
  key("feeds.*.notify.urgency", "low, normal or critical", "normal", "how urgent the message is"),
  key(
    "feeds.*.notify.identifier", "template", "\"{feed}\"", "a later message with it replaces an earlier one"),
  key("feeds.*.notify.delay", "length of time", "0s", "how long a message waits, at most 7 days"),
  key(
    "feeds.*.notify.when", "ready or at-once", "ready",
    "whether a message waits for the files of its items, at most 24 h"),
  key(
    "feeds.*.notify.hours", "hours of the week, list or always", "always",
    "when messages may be delivered; the others become one summary"),
  key("feeds.*.notify.failures", "0 to 1000", "3", "failures in a row before the event failing; 0 is never"),
  key("feeds.*.push", "mapping", "{}", "what a push fetches, and how often"),
  key(
    "feeds.*.push.url", "URL template or none", "none",
    "the file that a push downloads instead of a fetch, as in \"https://planet.example/{content-id}.mp3\""
  ),
  key(
    "feeds.*.push.description", "template or none", "none",
    "the title of that file, as in \"Episode {content-id}\""),
  key(
    "feeds.*.push.limit", "number in a length of time", "6/1h",
    "the most fetches that pushes may cause in a length of time; at most 1000, and 30 days"),
  key(
    "feeds.*.network", "mapping", "{}",
    "keys of network for this feed; not connections and rate-limit"),

  key("hooks", "mapping", "{}", "the hooks by name"),
  key("hooks.*", "mapping", nil, "a hook"),
  key("hooks.*.events", "list of events", nil, "the events that run the program; required without digest"),
  key(
    "hooks.*.run", "list of templates or lists of templates", nil, "the program and its arguments",
    isRequired: true),
  key("hooks.*.feeds", "list of globs", "[\"*\"]", "the feeds whose events it gets, by name, glob or @tag"),
  key("hooks.*.limit", "1 to 1000 or none", "5", "the most messages in a run; more become one"),
  key(
    "hooks.*.digest", "cron expression, list or none", "none",
    "when the messages since the last digest are delivered, as one"),
  key("hooks.*.to", "text or list of text", nil, "the mail addresses that messages are for"),
  key("hooks.*.from", "text", nil, "the mail address that messages are from"),
  key(
    "hooks.*.stdin", "json, mail, none or template", "json",
    "what the program reads from standard input; with to or digest, mail"),
  key("hooks.*.timeout", "length of time", "30s", "how long the program may run"),
  key("hooks.*.retries", "0 to 100", "5", "how often to retry a failed delivery"),
  key("hooks.*.expires", "length of time", "12h", "older deliveries are dropped"),
  key("hooks.*.needs", "none or session-bus", "none", "what a delivery waits for"),
  key("hooks.*.environment", "mapping of text or secrets", "{}", "more environment variables"),
  key("hooks.*.environment.*", "text or secret", nil, "one variable's value"),
]

/// The keys of a secret, which has exactly one of them.
public let secretKeys: [ConfigurationKey] = [
  key("env", "name", nil, "the secret is in this environment variable"),
  key("file", "path", nil, "the secret is the first line of this file"),
  key("credential", "name", nil, "the secret is this systemd credential"),
  key("command", "list of text", nil, "the secret is the first line that this program prints"),
]

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
