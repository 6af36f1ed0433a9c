// What a request says of the documents that can be read.

extension FeedKind {
  /// The `Accept` field (RFC 9110 section 12.5.1).
  ///
  /// The last entry lets servers that know no better type answer all the same.
  var accept: String {
    switch self {
    case .feed:
      "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml;q=0.9, "
        + "application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.7, */*;q=0.5"
    case .json: "application/json, */*;q=0.5"
    case .asset: "*/*"
    }
  }
}
