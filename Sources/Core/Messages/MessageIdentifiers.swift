// The identifiers by which messages are found to be one while they wait, before their text is made.

/// The identifier that a message about items will have, as far as it can be told when it is recorded.
///
/// - Parameters:
///   - notify: the announcements of the feed.
///   - label: what the feed is called.
///   - item: the item that the message is about; nil where it is about several.
/// - Returns: empty where it cannot be told: a template with a count or titles has another identifier each time, and its
///   message is never one with another.
func waitingIdentifier(_ notify: NotifySpec, label: FeedLabel, item: ItemRecord? = nil) -> String {
  var isKnown = true
  let text = notify.identifier.filled { name, _ in
    switch name {
    case "feed": return label.name.text
    case "feed.title": return label.title
    case "feed.link": return label.link
    default: break
    }
    if let item {
      switch name {
      case "item.title": return itemTitle(item)
      case "item.link": return webLink(item.link)
      case "item.id":
        if let id = item.guid ?? item.link { return cleanText(id, limit: 1024) }
      default: break
      }
    }
    isKnown = false
    return ""
  }
  return isKnown ? identifierText(text) : ""
}

/// An identifier as hooks get it: long enough that items with long identities stay apart.
func identifierText(_ text: String) -> String { cleanText(text, limit: 2048) }
