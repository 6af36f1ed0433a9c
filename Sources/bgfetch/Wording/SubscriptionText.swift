// Words for lists of subscriptions: what was taken, what was not, and why.

import Core

/// Why a file is no list of subscriptions.
func subscriptionListText(_ failure: SubscriptionListFailure) -> String {
  switch failure {
  case .empty: "is empty; a list is OPML or newsboat's urls"
  case .feed: "is a feed, not a list of feeds; write its address into the configuration"
  case .other(let found): "is \(found), not a list of feeds; a list is OPML or newsboat's urls"
  }
}

/// A remark with its place in the list.
func remarkText(_ remark: SubscriptionRemark, in file: String) -> String {
  "\(file):\(remark.line): " + remarkText(remark.kind)
}

private func remarkText(_ kind: SubscriptionRemark.Kind) -> String {
  switch kind {
  case .query: "left out: query: searches other feeds, which bgfetch does not do; see bgfetch items --format"
  case .program(let kind):
    "left out: \(kind): runs a program to make the feed; let cron write its output to a file, and take file:///PATH"
  case .link: "left out: a link to a page or to another list, not a feed"
  case .madeOfPage(let type):
    "left out: \(cleanText(type, limit: 40)): the other program makes the feed of what is no feed; "
      + "where that is JSON, kind: json reads it"
  case .commentedOut: "left out: commented out"
  case .noAddress: "left out: it has no address; give it an xmlUrl"
  case .unusableAddress(let address):
    "left out: \"\(cleanText(address, limit: 100))\" is no address of a feed; write https://…"
  case .credentials(let address):
    "left out: \(cleanText(address, limit: 100)) holds a user name or a password; "
      + "write it into the configuration yourself, with auth: and a secret"
  case .file(let address, false):
    "left out: \(cleanText(address, limit: 100)) is a file of this machine; --allow-files takes it"
  case .file(let address, true):
    "\(cleanText(address, limit: 100)) is a file of this machine; the feed is taken"
  case .privateAddress(let address):
    "\(cleanText(address, limit: 100)) is on this machine or a private network; the feed is taken"
  case .duplicate(let address, let name):
    "left out: \(cleanText(address, limit: 100)) is the address of \(name) already"
  case .tooDeep(let count): "left out: \(counted(count, "outline")) that lie more than 256 deep"
  case .tooMany(let count): "left out: \(counted(count, "more entry", "more entries")) after the first 100000"
  case .hidden: "the mark ! for hidden feeds means nothing to bgfetch; the feed is taken"
  case .unwritableTag(let tag):
    "the tag \"\(cleanText(tag, limit: 100))\" cannot be written in Latin letters; the feed is taken without it"
  case .cutOff: "the list ends in the middle; what was whole is taken"
  }
}

/// What came of an import, in one line.
func importSummary(_ plan: ImportPlan) -> String {
  counted(plan.feeds.count, "feed") + " imported" + (plan.leftOut > 0 ? ", \(plan.leftOut) left out" : "")
}

/// A remark as JSON.
func remarkJSON(_ remark: SubscriptionRemark, in file: String) -> JSONValue {
  .object([
    ("type", .string("remark")), ("file", .string(file)), ("line", .number(Int64(remark.line))),
    ("left-out", .number(Int64(remark.kind.leftOut))), ("text", .string(remarkText(remark.kind))),
  ])
}

/// What came of an import, as JSON.
func importJSON(_ plan: ImportPlan, output: String?) -> JSONValue {
  .object([
    ("type", .string("import")), ("file", .text(output)), ("feeds", .number(Int64(plan.feeds.count))),
    ("left-out", .number(Int64(plan.leftOut))),
  ])
}

/// Why an export has no place for a feed.
func leftOutText(_ leftOut: ExportedFeeds.LeftOut) -> String {
  let why =
    switch leftOut.hindrance {
    case .kindJSON: "is of kind json, which no feed reader can read"
    case .kindAsset: "is of kind asset, a file and no feed"
    case .secretAddress: "its url is a secret"
    }
  return "\(leftOut.feed): \(why); left out"
}

/// A subscription as JSON; its name is nil where it has none yet.
func subscriptionJSON(_ subscription: Subscription, name: FeedName?) -> JSONValue {
  .object([
    ("type", .string("subscription")), ("feed", .text(name?.text)), ("url", .string(subscription.url)),
    ("title", .text(subscription.title)), ("link", .text(subscription.link)),
    ("tags", .array(subscription.tags.map(JSONValue.string))),
  ])
}
