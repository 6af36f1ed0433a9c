// Feeds as YAML that this module reads without a mistake: a configuration, or a file to include.

public import Core

/// Subscriptions as `feeds:`, one a line, in the shortest form.
public func feedsText(_ feeds: [NamedSubscription]) -> String {
  feeds.reduce(into: "feeds:\n") { $0 += "  " + feedLine($1) + "\n" }
}

private func feedLine(_ feed: NamedSubscription) -> String {
  let (name, subscription) = (yamlText(feed.name.text), feed.subscription)
  guard subscription.title != nil || !subscription.tags.isEmpty else {
    return "\(name): \(yamlAddress(subscription.url))"
  }
  var keys = ["url: " + yamlText(subscription.url)]
  if let title = subscription.title { keys.append("title: " + yamlText(title)) }
  if !subscription.tags.isEmpty {
    keys.append("tags: [\(subscription.tags.map(yamlText).joined(separator: ", "))]")
  }
  return "\(name): {\(keys.joined(separator: ", "))}"
}
