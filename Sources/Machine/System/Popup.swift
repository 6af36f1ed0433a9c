// Popups on the user's desktop.

import CLate

/// Popups of the notification daemon of the session.
public enum Popup {
  /// Whether a notification daemon answers on the session bus of this process.
  public static var canBeShown: Bool { bgfetch_popup_is_possible() }

  /// Shows a popup and waits until it is clicked, at most an hour; once in a process.
  ///
  /// - Parameters:
  ///   - markup: the text in the markup of the specification of desktop notifications, for daemons that read it.
  ///   - sound: the name of a sound, such as `message-new-instant`; empty for none.
  ///   - urgency: 0 is low, 1 normal and 2 critical.
  ///   - replaced: the identity of the popup that it replaces, or empty; one of a daemon that has ended replaces nothing.
  ///   - opens: whether a click on it is waited for.
  ///   - isShown: called with the identity of the popup, one line, before the wait.
  /// - Returns: false if it is closed or replaced instead.
  public static func show(
    title: String, text: String, markup: String, sound: String, urgency: UInt32, replaced: String,
    opens: Bool, isShown: (String) -> Void
  ) throws(PopupFailure) -> Bool {
    var identity: UnsafePointer<CChar>?
    if let problem = bgfetch_popup_show(title, text, markup, sound, urgency, replaced, opens, &identity) {
      throw PopupFailure(reason: String(cString: problem))
    }
    isShown(identity.map { String(cString: $0) } ?? "")
    return bgfetch_popup_wait_for_click(3600)
  }
}

/// Why a popup is not shown, in words.
public struct PopupFailure: Error {
  public var reason: String
}
