// The parts of XMLScanner that know what is in force where: namespaces, attributes by name, bases of addresses.

import Core

/// What a prefix stands for below an element.
struct Binding {
  /// How deep the element is that declares it.
  let depth: Int
  /// The prefix; nil is the default.
  let prefix: NameKey?
  /// The family of names.
  let space: Namespace
}

/// Where relative addresses below an element begin.
struct Base {
  /// How deep the element is that declares it; 0 is the document's own address.
  let depth: Int
  /// The address; nil if the document's own is not known.
  var address: BaseAddress?
}

extension XMLScanner {
  /// Binds a prefix for the element whose tag is being read.
  mutating func bind(_ prefix: NameKey?, to address: UnsafeBufferPointer<UInt8>) {
    guard bindings.count < Self.maximumBindings, address.count <= 256 else { return }
    let trimmed = trimmed(address)
    var space = Namespace(address: trimmed)
    if depth == 0 {
      isOldAtom = isOldAtom || Namespace.isOldAtom(trimmed)
      isNetscape = isNetscape || Namespace.isNetscape(trimmed)
    }
    // Whatever default a root has, its own names are in it: RSS with Atom's address as default is RSS.
    if depth == 0, prefix == nil { space = .plain }
    bindings.append(Binding(depth: depth + 1, prefix: prefix, space: space))
  }

  /// The family of names without prefix.
  var defaultSpace: Namespace {
    bindings.last { $0.prefix == nil }?.space ?? .plain
  }

  /// The family of names with a prefix; an undeclared prefix means what everybody means by it.
  func space(ofPrefix prefix: NameKey) -> Namespace {
    bindings.last { $0.prefix == prefix }?.space ?? Namespace(undeclaredPrefix: prefix)
  }

  /// The value of an attribute of the element that was opened last, references and all; nil if it is missing.
  ///
  /// One without a prefix counts first; with a prefix, only `rdf:` ones count.
  func attribute(_ word: Word) -> UnsafeBufferPointer<UInt8>? {
    var prefixed: Range<Int>?
    for attribute in attributes where attribute.word == word {
      guard let prefix = attribute.prefix else { return slice(attribute.value) }
      if space(ofPrefix: prefix) == .rdf { prefixed = attribute.value }
    }
    return prefixed.map { slice($0) }
  }

  /// The text of an attribute of the element that was opened last, blanks around it removed; nil if there is
  /// none.
  mutating func attributeText(_ word: Word) -> String? {
    guard let value = attribute(word) else { return nil }
    return nonEmpty(trimmed(decoded(value)))
  }

  /// The address in an attribute of the element that was opened last, resolved; nil if there is none.
  mutating func attributeLink(_ word: Word) -> String? {
    guard let value = attribute(word) else { return nil }
    return resolved(decoded(value))
  }

  /// An address found at this place, resolved against the bases around it; nil if there is none.
  mutating func resolved(_ address: UnsafeBufferPointer<UInt8>) -> String? {
    links.link(address, base: &bases[bases.count - 1].address)
  }

  /// Lets addresses inside the element that was opened last begin at another place.
  mutating func pushBase(_ value: UnsafeBufferPointer<UInt8>) {
    guard value.count <= LinkResolver.longestBase, let address = resolved(decoded(value)),
      address.utf8.count <= LinkResolver.longestBase
    else { return }
    bases.append(Base(depth: depth, address: BaseAddress(URIReference(address))))
  }
}
