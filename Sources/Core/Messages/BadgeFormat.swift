// The badge in the formats of status bars.

public enum BadgeFormat: Hashable, Sendable {
  /// The number alone.
  case plain
  /// One JSON object for waybar-custom(5), escaped for Pango.
  case waybar
  /// Text for the status line of tmux.
  case tmux
  /// A template with `{badge}`.
  case template(Template)
}

/// The text of a bar if the badge cannot be read: `!`, with the reason as the tooltip; nil for formats that are not for
/// bars.
public func badgeText(failed reasons: [String], as format: BadgeFormat) -> String? {
  switch format {
  case .plain, .template: return nil
  case .tmux: return "!"
  case .waybar:
    let tooltip = reasons.map { escapedMarkup(cleanText($0, limit: 512)) }.joined(separator: "\n")
    return JSONValue.object([
      ("text", .string("!")), ("alt", .string("error")), ("class", .string("error")),
      ("tooltip", .string(tooltip)),
    ]).text
  }
}

/// The badge as one line without a newline; empty for a status bar if it is 0.
///
/// - Parameter unseen: unseen items by feed title, most first, for the tooltip.
public func badgeText(_ badge: Int, unseen: [(title: String, count: Int)], as format: BadgeFormat) -> String {
  switch format {
  case .plain: return String(badge)
  case .tmux: return badge == 0 ? "" : String(badge)
  case .template(let template): return template.filled { name, _ in name == "badge" ? String(badge) : "" }
  case .waybar:
    let tooltip = unseen.filter { $0.count > 0 }.map {
      "\(escapedMarkup(cleanText($0.title, limit: 256))): \($0.count)"
    }
    let state = badge == 0 ? "none" : "unseen"
    return JSONValue.object([
      ("text", .string(badge == 0 ? "" : String(badge))), ("alt", .string(state)), ("class", .string(state)),
      ("tooltip", .string(tooltip.joined(separator: "\n"))),
    ]).text
  }
}
