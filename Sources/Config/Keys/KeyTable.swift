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
/// A new key is a row here, a line in its reader and an item in the manual; the schema follows from the words of its type.
/// `defaults` takes the keys of `feeds.*` but `url`, and `feeds.*.network` those of `network` but for `keysOfRun`: they
/// are not written twice.
public let configurationKeys: [ConfigurationKey] = [
  key("documents", "path", "$XDG_DATA_HOME/bgfetch/documents", "where finished files are placed"),
  key("state", "path", "$XDG_STATE_HOME/bgfetch", "where bgfetch keeps what it remembers"),
  key("badge", "path", "$XDG_STATE_HOME/bgfetch/badge", "the file that holds the number of unseen items"),
  key("timezone", "time zone or system", "system", "where the fields of a schedule are read"),
  key("free-space", "size", "512MiB", "below this, transfers to that file system are suspended"),
  key("include", "path or list of paths", "[]", "further files with feeds, hooks and defaults of their own"),

  key("budget", "length of time, none or mapping", "{}", "how long a run may take; a bare length is fetch"),
  key("budget.fetch", "length of time or none", "3m", "how long the fetch phase may take"),
  key("budget.transfers", "length of time or none", "none", "how long the transfer phase may take"),
  key("budget.warning", "length of time", "10s", "how long before a phase's end nothing new is begun"),

  key("network", "mapping", "{}", "limits and manners of every request"),
  key("network.connections", "1 to 1000", "32", "connections in all; transfers have as many of their own"),
  key(
    "network.connections-per-host", "1 to 100", "1",
    "connections to one host; transfers have as many of their own"),
  key("network.delay-per-host", "length of time", "1s", "time between two requests to one public host"),
  key("network.connect-timeout", "length of time", "10s", "how long connecting may take"),
  key("network.timeout", "length of time", "60s", "how long one feed may take, start to end; not transfers"),
  key("network.stall", "mapping", "{}", "when a body that drips is given up"),
  key("network.stall.below", "size per second", "1KiB/s", "slower than this counts as stalled"),
  key("network.stall.for", "length of time", "30s", "how long it may be so"),
  key("network.rate-limit", "size per second or none", "none", "the most of all transfers together"),
  key("network.max-feed-size", "size", "32MiB", "the most bytes of a feed, after decompression"),
  key("network.max-redirects", "0 to 50", "10", "the most redirects followed for one feed"),
  key(
    "network.private-addresses", "same-as-feed, allow, refuse or list of networks", "same-as-feed",
    "which private addresses redirects and links may lead to"),
  key(
    "network.freshness-limit", "length of time", "7d",
    "the longest max-age, Expires or ttl that is obeyed; 0s ignores them"),
  key("network.proxy", "environment, none or proxy URL", "environment", "the proxy"),
  key("network.user-agent", "text", "bgfetch/VERSION (+home page)", "the User-Agent field"),
  key("network.ca-file", "path or system", "system", "the file of trusted certificates"),

  key("defaults", "mapping", "{}", "what holds for every feed that does not say otherwise"),
  key("feeds", "mapping", nil, "the feeds by name"),
  key("feeds.*", "URL or mapping", nil, "one feed, or just its address"),
  key(
    "feeds.*.url", "URL or secret", nil, "where the feed is; a file: URL is a file of this machine",
    isRequired: true),
  key(
    "feeds.*.kind", "feed, json or asset", "feed",
    "what is behind the address: RSS, Atom or JSON Feed, detected; other JSON; or the file that is wanted"),
  key("feeds.*.title", "text", "none", "what people call it; else the feed's own title"),
  key("feeds.*.tags", "list of tags", "[]", "words that name several feeds at once, as in @linux"),
  key(
    "feeds.*.minimum-interval", "length of time, every-run or never", "none",
    "the least time between two fetches; 1h, or 24h if the server gives no validators"),
  key("feeds.*.schedule", "cron expression or list", "none", "due from a matching minute on"),
  key(
    "feeds.*.hours", "hours of the week, list or always", "always",
    "never due outside, for example \"mon-fri 08:00-18:00\""),
  key(
    "feeds.*.adapt", "none or habits", "none",
    "whether fetches are placed just before the times at which you look"),
  key("feeds.*.headers", "mapping of text or secrets", "{}", "further request headers"),
  key("feeds.*.headers.*", "text or secret", nil, "one header's value"),
  key("feeds.*.auth", "mapping", "none", "how the server is told who asks"),
  key("feeds.*.auth.username", "text", "none", "the name for HTTP Basic"),
  key("feeds.*.auth.password", "secret", "none", "the password for HTTP Basic"),
  key("feeds.*.auth.bearer", "secret", "none", "a bearer token"),
  key("feeds.*.auth.netrc", "true or false", "false", "whether ~/.netrc is asked"),
  key("feeds.*.identity", "guid, link or title", "guid", "what the items are told apart by"),
  key(
    "feeds.*.first-run", "none, latest, all, a number or mapping", "{notify: none, download: latest}",
    "which items of the first successful fetch count as new; a bare value is for both"),
  key("feeds.*.first-run.notify", "none, latest, all or a number", "none", "which of them are announced"),
  key("feeds.*.first-run.download", "none, latest, all or a number", "latest", "the files of which items"),
  key("feeds.*.filter", "mapping", "{}", "which items count at all"),
  key(
    "feeds.*.filter.include", "list of regular expressions", "[]",
    "one must match title, link or a category"),
  key("feeds.*.filter.exclude", "list of regular expressions", "[]", "none may match"),
  key("feeds.*.updated", "silent, notify or mapping", "silent", "whether an edited item is announced"),
  key("feeds.*.updated.notify", "true or false", "true", "whether edits are announced"),
  key(
    "feeds.*.updated.at-most", "length of time", "1d",
    "at most one announcement of an item in this time; 0s announces every edit"),
  key(
    "feeds.*.json", "mapping or none", "none", "where in a document of kind json items and their parts are"),
  key("feeds.*.json.items", "pointer or list of pointers", nil, "the items, from the root"),
  key("feeds.*.json.id", "pointer or list of pointers", nil, "an item's identity, from the item on"),
  key("feeds.*.json.title", "pointer or list of pointers", nil, "an item's title"),
  key("feeds.*.json.link", "pointer or list of pointers", nil, "an item's page"),
  key("feeds.*.json.published", "pointer or list of pointers", nil, "when an item was published"),
  key("feeds.*.json.updated", "pointer or list of pointers", nil, "when an item last changed"),
  key("feeds.*.json.summary", "pointer or list of pointers", nil, "what an item says, as text or HTML"),
  key("feeds.*.json.author", "pointer or list of pointers", nil, "the author of an item"),
  key("feeds.*.json.assets", "pointer or list of pointers", nil, "the files an item refers to"),
  key("feeds.*.download", "mapping or none", "none", "which files of the items to download; {} is all"),
  key(
    "feeds.*.download.select", "enclosures, images, links or all", "enclosures",
    "which of an item's files are meant"),
  key("feeds.*.download.directory", "path", "none", "a documents directory of the feed's own"),
  key("feeds.*.download.types", "list of media types", "[]", "one must match, for example \"audio/*\""),
  key("feeds.*.download.filter", "mapping", "{}", "which files count, by their URL"),
  key("feeds.*.download.filter.include", "list of regular expressions", "[]", "one must match the URL"),
  key("feeds.*.download.filter.exclude", "list of regular expressions", "[]", "none may match the URL"),
  key(
    "feeds.*.download.name", "template or none", "none",
    "the file's name; a slash makes directories, as in \"{feed}/{title}{ext}\""),
  key("feeds.*.download.limit", "1 to 1000000 or none", "none", "the most transfers that a run starts"),
  key("feeds.*.download.max-size", "size or none", "none", "larger files are not downloaded"),
  key("feeds.*.download.keep", "mapping or none", "none", "what stays; the newest file does in any case"),
  key("feeds.*.download.keep.count", "1 to 1000000 or none", "none", "at most so many files"),
  key("feeds.*.download.keep.age", "length of time or none", "none", "no files of older items"),
  key("feeds.*.download.keep.size", "size or none", "none", "the total size of the files"),
  key("feeds.*.download.priority", "-1000 to 1000", "0", "the feed with the higher one goes first"),
  key("feeds.*.notify", "mapping or none", "{}", "how new items are announced"),
  key("feeds.*.notify.hooks", "all or list of hooks", "all", "the hooks that are told"),
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
    "messages are held outside, then one summary is told"),
  key("feeds.*.notify.failures", "0 to 1000", "3", "failures in a row before `failing`; 0 is never"),
  key("feeds.*.push", "mapping", "{}", "what a push leads to, and how often"),
  key(
    "feeds.*.push.url", "URL template or none", "none",
    "a file that pushes announce, downloaded instead of a fetch, as in \"https://planet.example/{content-id}.mp3\""
  ),
  key(
    "feeds.*.push.description", "template or none", "none",
    "what that file is called, as in \"Episode {content-id}\""),
  key(
    "feeds.*.push.limit", "number in a length of time", "6/1h",
    "how many fetches pushes may cause in what time, each of at most 1000 and 30 days"),
  key(
    "feeds.*.network", "mapping", "{}",
    "keys of network, for this feed alone; connections and rate-limit are none"),

  key("hooks", "mapping", "{}", "the hooks by name"),
  key("hooks.*", "mapping", nil, "one hook"),
  key("hooks.*.events", "list of events", nil, "what the command is run for; required without digest"),
  key(
    "hooks.*.run", "list of templates or lists of templates", nil, "the program and its arguments",
    isRequired: true),
  key("hooks.*.feeds", "list of globs", "[\"*\"]", "the feeds it hears of, by name, glob or @tag"),
  key("hooks.*.limit", "1 to 1000 or none", "5", "the most messages in a run; more become one"),
  key(
    "hooks.*.digest", "cron expression, list or none", "none",
    "when the messages since the last digest are delivered, as one"),
  key("hooks.*.to", "text or list of text", nil, "the mail addresses that messages are for"),
  key("hooks.*.from", "text", nil, "the mail address that messages are from"),
  key(
    "hooks.*.stdin", "json, mail, none or template", "json",
    "what it reads on standard input; with to or digest, mail"),
  key("hooks.*.timeout", "length of time", "30s", "how long it may run"),
  key("hooks.*.retries", "0 to 100", "5", "how often a failed delivery is tried again"),
  key("hooks.*.expires", "length of time", "12h", "a delivery older than this is dropped"),
  key("hooks.*.needs", "none or session-bus", "none", "what a delivery waits for"),
  key("hooks.*.environment", "mapping of text or secrets", "{}", "further environment variables"),
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
