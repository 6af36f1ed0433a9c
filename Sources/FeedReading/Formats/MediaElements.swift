// What RSS and Atom share: Media RSS, persons, lengths.

import Core

/// Reads an element of Media RSS in an item: files, and what stands in for a missing title or summary.
///
/// A thumbnail is an image of the item, also where it stands in the file that it shows.
func takeMedia(_ child: XMLScanner.Element, _ xml: inout XMLScanner, _ draft: inout ItemDraft) {
  switch child.word {
  case .group:
    let depth = xml.depth
    while let member = xml.nextChild(of: depth), !member.isItem {
      if member.space == .media, member.word != .group { takeMedia(member, &xml, &draft) }
    }
  case .content:
    guard let url = xml.attributeLink(.url) else { return }
    draft.add(Enclosure(url: url, type: xml.attributeText(.type), length: xml.attributeLength(.filesize)))
    let depth = xml.depth
    while let part = xml.nextChild(of: depth), !part.isItem {
      if part.space == .media, part.word == .thumbnail { draft.add(image: xml.attributeLink(.url)) }
    }
  case .thumbnail: draft.add(image: xml.attributeLink(.url))
  case .title: draft.title.take(plainTitle(xml.text(), .unsaid), rank: 3)
  case .description: draft.summary.take(nonEmpty(trimmed(xml.text().bytes)), rank: 1)
  default: break
  }
}

extension XMLScanner {
  /// The address of the image in the element that was opened last: an attribute, its `url`, or its text.
  mutating func imageAddress() -> String? {
    if let address = attributeLink(.href) ?? attributeLink(.url) { return address }
    if let run = takeSingleRun() { return resolved(run) }
    let depth = depth
    var address: String?
    while let child = nextChild(of: depth), !child.isItem {
      if child.word == .url { address = address ?? resolved(text().bytes) }
    }
    return address
  }

  /// The length in bytes that an attribute says; nil if it is zero or no number.
  func attributeLength(_ word: Word) -> Int64? {
    guard let value = attribute(word), let length = number(trimmed(value)), length > 0 else { return nil }
    return length
  }

  /// The name of the person in the element that was opened last: its `name`, else its `email`, else its text.
  mutating func personName() -> String? {
    if let run = takeSingleRun() { return plainTitle(run, .unsaid) }
    let depth = depth
    var name: String?
    var email: String?
    while let child = nextChild(of: depth) {
      switch child.word {
      case .name: name = name ?? plainTitle(text(), .unsaid)
      case .email: email = email ?? plainTitle(text(), .text)
      default: break
      }
    }
    return name ?? email
  }
}
