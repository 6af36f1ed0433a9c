// Numbers with nouns, for messages.

/// A number with its noun: `1 feed`, `2 feeds`, `3 deliveries`.
public func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
