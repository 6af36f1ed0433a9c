// The files of an item, of which a document may name several forms; and Media RSS, which does.

import Core

extension ItemDraft {
  /// Adds a file.
  ///
  /// A file that the item already has only gets its missing type and length, and is the default of its forms.
  mutating func add(_ file: Enclosure) {
    guard hasRoom(fileCount) else { return }
    if let index = indexOfFile(with: [file]) {
      item.enclosures[index].take(file, isDefault: true)
    } else {
      item.enclosures.append(file)
    }
  }

  /// A form of a file, with the facts by which the default is chosen, the most important first.
  struct Rendition {
    var file: Enclosure
    var merits: [Int64] = []
    var isImage = false
  }

  /// Adds a file of which there are several forms: the one of the highest merits, the first of equals.
  ///
  /// A form that is a file of the item already is the default. Images in the group of a recording are images of the item.
  mutating func add(group: [Rendition]) {
    let recordings = group.filter { !$0.isImage }
    for form in group where form.isImage && !recordings.isEmpty { add(image: form.file.url) }
    let forms = (recordings.isEmpty ? group : recordings)
      .sorted { $1.merits.lexicographicallyPrecedes($0.merits) }.map(\.file)
    let index = indexOfFile(with: forms) ?? item.enclosures.count
    for form in forms where hasRoom(fileCount) {
      if index == item.enclosures.count { item.enclosures.append(form) }
      item.enclosures[index].take(form, isDefault: false)
    }
  }

  /// The number of files with all their forms.
  private var fileCount: Int { item.enclosures.reduce(0) { $0 + 1 + $1.renditions.count } }

  /// The index of the file of which one of these is a form.
  private func indexOfFile(with forms: [Enclosure]) -> Int? {
    item.enclosures.firstIndex { file in
      forms.contains { form in
        isSame(file.url, form.url) || file.renditions.contains { isSame($0.url, form.url) }
      }
    }
  }
}

extension Enclosure {
  /// Adds a form of the file, or its missing type and length to the form with its address.
  fileprivate mutating func take(_ form: Enclosure, isDefault: Bool) {
    var forms = [Enclosure(url: url, type: type, length: length)] + renditions
    let index = forms.firstIndex { isSame($0.url, form.url) } ?? forms.count
    if index == forms.count { forms.append(form) }
    forms[index].type = forms[index].type ?? form.type
    forms[index].length = forms[index].length ?? form.length
    self = forms.remove(at: isDefault ? index : 0)
    renditions = forms
  }
}

/// Reads an element of Media RSS in an item: files, images, and substitutes for a missing title or summary.
///
/// A thumbnail is an image of the item, even if it is inside the element of a file.
func parseMedia(_ child: XMLScanner.Element, _ xml: inout XMLScanner, _ draft: inout ItemDraft) {
  switch child.word {
  case .group:
    let depth = xml.depth
    var group: [ItemDraft.Rendition] = []
    while let member = xml.nextChild(of: depth), !member.isItem {
      guard member.space == .media else { continue }
      switch member.word {
      case .group: break
      case .content: if let form = parseMediaContent(&xml, &draft) { group.append(form) }
      default: parseMedia(member, &xml, &draft)
      }
    }
    draft.add(group: group)
  case .content: if let form = parseMediaContent(&xml, &draft) { draft.add(form.file) }
  case .thumbnail: draft.add(image: xml.attributeLink(.url))
  case .title: draft.title.accept(plainTitle(xml.text(), .title), rank: 3)
  case .description: draft.summary.accept(xml.itemMarkup(), rank: 1)
  default: break
  }
}

/// Reads a file of Media RSS; nil if it has no address.
///
/// The default of a group is the one declared so. Without one, a sample comes last; then a video comes before a recording,
/// and the larger picture, the higher rate and the longer file first (Media RSS 1.5.1, "media:content").
private func parseMediaContent(_ xml: inout XMLScanner, _ draft: inout ItemDraft) -> ItemDraft.Rendition? {
  guard let url = xml.attributeLink(.url) else { return nil }
  let file = Enclosure(url: url, type: xml.attributeText(.type), length: xml.attributeLength(.filesize))
  let medium = xml.attributeText(.medium) ?? file.type.map { String($0.prefix { $0 != "/" }) } ?? ""
  let kind = ["image", "", "audio", "video"].firstIndex(of: medium.lowercased()) ?? 1
  let isDefault = xml.attribute(.isdefault).map { equals(trimmed($0), "true") } ?? false
  let isSample = xml.attribute(.expression).map { equals(trimmed($0), "sample") } ?? false
  let sizes = [Word.height, .bitrate, .filesize].map { xml.attributeLength($0) ?? 0 }
  draft.accept(duration: xml.attribute(.duration).flatMap(playingTime), rank: 1)
  let depth = xml.depth
  while let part = xml.nextChild(of: depth), !part.isItem {
    if part.space == .media, part.word == .thumbnail { draft.add(image: xml.attributeLink(.url)) }
  }
  return ItemDraft.Rendition(
    file: file, merits: [isDefault ? 1 : 0, isSample ? 0 : 1, Int64(kind)] + sizes, isImage: kind == 0)
}
