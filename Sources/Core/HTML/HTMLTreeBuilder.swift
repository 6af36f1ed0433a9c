// Tokens of HTML to a tree (HTML standard, section 13.2.6, reduced to what readers see), in one pass with bounded depth.
//
// Nodes are only added at the end, so that they are in the order of the source. Where the standard would move an element,
// out of a table or out of formatting that ends around it, it stays where it was written; and formatting ends with the element
// around it, where the standard would start it again behind that.

/// Builds the tree of any page, however broken.
///
/// Time and memory are proportional to the page: the depth and the number of nodes are bounded.
struct HTMLTreeBuilder {
  private(set) var tokens: HTMLTokenizer
  private(set) var nodes: [HTMLTree.Node] = []
  private(set) var otherNames: [Int32: Range<Int>] = [:]
  private(set) var readEnd: Int

  private var open: [OpenElement] = []
  /// The number of open elements by some bits of their names, so that most names that are not open need no search.
  private var openCounts = Array(repeating: Int32(0), count: 1024)
  private var seenOnce: Set<HTMLElement> = []
  private let hasSections: Bool
  private var stopCheck: StopCheck

  /// The maximum depth, as in browsers.
  private static let deepest = 512

  /// - Parameter hasSections: whether CDATA sections are text everywhere and not only in SVG and MathML.
  init(
    _ source: UnsafeBufferPointer<UInt8>, isItem: Bool, hasSections: Bool,
    attributes: HTMLTokenizer.AttributeChoice = .ofAllTags, shouldStop: @escaping ShouldStop
  ) {
    tokens = HTMLTokenizer(source, attributes: attributes)
    self.hasSections = hasSections
    stopCheck = StopCheck(shouldStop)
    readEnd = source.count
    // Room for a node every two bytes, as in `<b>x`: memory that is never written costs nothing, a copy does.
    nodes.reserveCapacity(min(source.count / 2, HTMLTree.mostNodes) + 64)
    nodes.append(HTMLTree.Node(name: 1, end: 0, parent: 0, start: 0, stop: 0, element: .document))
    open.append(OpenElement(node: 0, name: 1, element: .document, traits: .barrier))
    if isItem {
      openWithoutTag(.html)
      openWithoutTag(.body)
      seenOnce.insert(.head)
    }
  }

  var isStopped: Bool { stopCheck.isStopped }

  mutating func build() {
    while next() != nil {
      if stopCheck.stops(at: tokens.position) { return }
    }
    close(downTo: 1)
    nodes[0].end = Int32(nodes.count)
  }

  /// Adds the next token; nil at the end or if there are too many nodes.
  mutating func next() -> HTMLTokenizer.Token? {
    guard nodes.count < HTMLTree.mostNodes else {
      readEnd = tokens.position
      return nil
    }
    tokens.hasSections = hasSections || top.hasSections
    tokens.hasRawContent = !top.isForeign
    guard let token = tokens.next() else { return nil }
    switch token {
    case .text(let range, let kind): addText(range, kind)
    case .start(let tag): addStart(tag)
    case .end(let tag): addEnd(tag)
    case .comment, .doctype: break
    }
    return token
  }

  private var top: OpenElement { open[open.count - 1] }

  /// The number of open elements in the content of an item.
  var depth: Int { open.count - 3 }

  /// Their end tags.
  var endTags: String {
    open.dropFirst(3).reversed().map { $0.element == .other ? "" : "</\($0.element.name)>" }.joined()
  }

  // MARK: Nodes

  private mutating func addText(_ range: Range<Int>, _ kind: HTMLTokenizer.TextKind) {
    if range.count < 64, range.allSatisfy({ tokens.source[$0] <= 0x20 }) {
      // Blanks between the parts of a table or list mean nothing; elsewhere they separate words.
      if top.traits.isDisjoint(with: .structural), open.count > 2 { appendText(range, kind) }
      return
    }
    if kind == .data || kind == .section {
      // Text ends a head that has no end tag.
      if top.element == .head { closeTop() }
      openImplied(.text, [])
    }
    appendText(range, kind)
  }

  private mutating func appendText(_ range: Range<Int>, _ kind: HTMLTokenizer.TextKind) {
    nodes.append(
      HTMLTree.Node(
        end: Int32(nodes.count + 1), parent: Int32(top.node), start: Int32(clamping: range.lowerBound),
        stop: Int32(clamping: range.upperBound), element: .text, textKind: kind))
  }

  /// Adds an element and opens it, unless it has no content.
  private mutating func add(
    _ element: HTMLElement, _ name: NameHash, _ tag: HTMLTokenizer.Tag?, isForeign: Bool = false
  ) {
    let node = nodes.count
    let attributes = tag?.attributes ?? 0..<0
    if element == .other { otherNames[Int32(node)] = tag?.nameRange }
    let traits = element.traits
    let language = element.contentLanguage(in: isForeign ? top.language : nil)
    let hasSections = isForeign || language != nil
    let isEmpty = hasSections ? tag?.isSelfClosing ?? false : traits.contains(.isVoid)
    // As in browsers, what is too deep is beside the deepest element.
    if !isEmpty, open.count >= Self.deepest { closeTop() }
    nodes.append(
      HTMLTree.Node(
        name: name, end: Int32(node + 1), parent: Int32(top.node), start: Int32(attributes.lowerBound),
        stop: Int32(attributes.upperBound), element: element))
    guard !isEmpty else { return }
    open.append(
      OpenElement(
        node: node, name: name, element: element,
        traits: !isForeign ? traits : language == nil ? .barrier : [],
        language: language, hasSections: hasSections))
    openCounts[OpenElement.slot(name)] += 1
  }

  /// Ends all open elements beyond a depth.
  private mutating func close(downTo depth: Int) {
    while open.count > max(depth, 1) || open.count > 1 && top.isEnded {
      let last = open.removeLast()
      openCounts[last.slot] -= 1
      nodes[last.node].end = Int32(nodes.count)
    }
  }

  private mutating func closeTop() { close(downTo: open.count - 1) }

  private func mayBeOpen(_ element: HTMLElement) -> Bool {
    openCounts[OpenElement.slot(element.hash)] > 0
  }

  /// The depth of the nearest open element that is wanted, unless a barrier is nearer.
  @inline(__always)
  private func depth(
    within barriers: ElementTraits = .barrier, of isWanted: (OpenElement) -> Bool
  ) -> Int? {
    var depth = open.count - 1
    while depth > 0 {
      if isWanted(open[depth]) { return depth }
      if !open[depth].traits.isDisjoint(with: barriers) { return nil }
      depth -= 1
    }
    return nil
  }

  // MARK: What missing tags imply

  /// Opens the elements that a browser adds around an element or text if their tags are missing: selectors copied from a
  /// browser name them.
  private mutating func openImplied(_ element: HTMLElement, _ traits: ElementTraits) {
    if open.count == 1, element != .html { openWithoutTag(.html) }
    if top.element == .html, !traits.contains(.once) {
      if !traits.contains(.inHead) {
        openWithoutTag(.body)
      } else if !seenOnce.contains(.head), !seenOnce.contains(.body) {
        openWithoutTag(.head)
      }
    }
    guard traits.contains(.tablePart) else { return }
    if element == .tr || traits.contains(.cell), top.element == .table { openWithoutTag(.tbody) }
    if traits.contains(.cell), top.traits.contains(.rowGroup) { openWithoutTag(.tr) }
  }

  private mutating func openWithoutTag(_ element: HTMLElement) {
    if element.traits.contains(.once), !seenOnce.insert(element).inserted { return }
    add(element, element.hash, nil)
  }

  /// Ends the elements whose end a start tag implies.
  private mutating func endImplied(_ element: HTMLElement, _ traits: ElementTraits) {
    if top.element == .head, traits.isDisjoint(with: .inHead) { closeTop() }
    if traits.contains(.tablePart) { endTableParts(before: element, traits) }
    if traits.contains(.endsParagraph) { endParagraph() }
    if traits.contains(.heading), top.traits.contains(.heading) { closeTop() }
    switch element {
    case .li: endItem { $0 == .li }
    case .dd, .dt: endItem { $0 == .dd || $0 == .dt }
    case .option, .optgroup:
      if top.element == .option { closeTop() }
      if element == .optgroup, top.element == .optgroup { closeTop() }
    case .rp, .rt, .rb, .rtc:
      while [.rb, .rp, .rt].contains(top.element) { closeTop() }
    case .button, .select:
      if mayBeOpen(element), let depth = depth(of: { $0.element == element }) { close(downTo: depth) }
    case .a, .nobr: endFormatting(element)
    case .table
    where !top.traits.isDisjoint(with: [.rowGroup]) || top.element == .tr || top.element == .table:
      if let depth = depth(of: { $0.element == .table }) { close(downTo: depth) }
    default: break
    }
  }

  private mutating func endParagraph() {
    guard mayBeOpen(.p), let depth = depth(of: { $0.element == .p || $0.element == .button }),
      open[depth].element == .p
    else { return }
    close(downTo: depth)
  }

  /// Ends an item of a list before the next one.
  private mutating func endItem(_ isItem: (HTMLElement) -> Bool) {
    var depth = open.count - 1
    while depth > 0 {
      let element = open[depth].element
      if isItem(element) { return close(downTo: depth) }
      if open[depth].traits.contains(.special), element != .address, element != .div, element != .p { return }
      depth -= 1
    }
  }

  /// Ends what is open in a table before its next part; without a table, a cell or a row before the next one.
  private mutating func endTableParts(before element: HTMLElement, _ traits: ElementTraits) {
    func contains(_ outer: OpenElement) -> Bool {
      switch outer.element {
      case .table, .template: true
      case .tbody, .thead, .tfoot: element == .tr || traits.contains(.cell)
      case .tr: traits.contains(.cell)
      case .colgroup: element == .col
      default: false
      }
    }
    if mayBeOpen(.table) || mayBeOpen(.tr) || mayBeOpen(.tbody) {
      var depth = open.count - 1
      while depth > 0, !contains(open[depth]) { depth -= 1 }
      if depth > 0 { return close(downTo: depth + 1) }
    }
    if let depth = depth(of: { $0.traits.contains(.tablePart) }) { close(downTo: depth) }
  }

  // MARK: Formatting

  /// Ends formatting, which goes on in elements that began in it.
  private mutating func endFormatting(_ element: HTMLElement) {
    guard mayBeOpen(element), let depth = depth(of: { $0.element == element && !$0.isEnded }) else { return }
    if open[(depth + 1)...].contains(where: { $0.traits.contains(.special) }) {
      open[depth].isEnded = true
    } else {
      close(downTo: depth)
    }
  }

  // MARK: Tags

  private mutating func addStart(_ tag: HTMLTokenizer.Tag) {
    var (element, name) = (tag.element, tag.name)
    if top.isForeign {
      guard element.traits.contains(.endsForeign) else {
        return add(element, tag.name, tag, isForeign: true)
      }
      endForeign()
    }
    // Many pages say image.
    if element == .image { (element, name) = (.img, HTMLElement.img.hash) }
    let traits = element.traits
    if element == .form, mayBeOpen(.form), depth(of: { $0.element == .form && !$0.isEnded }) != nil { return }
    endImplied(element, traits)
    openImplied(element, traits)
    if traits.contains(.once), !seenOnce.insert(element).inserted {
      return addAttributes(of: tag, to: element)
    }
    add(element, name, tag)
  }

  /// Gives the attributes of a tag to an open element that has none, because its own tag was missing.
  private mutating func addAttributes(of tag: HTMLTokenizer.Tag, to element: HTMLElement) {
    guard let outer = open.prefix(3).first(where: { $0.element == element })?.node, nodes[outer].range.isEmpty
    else { return }
    nodes[outer].start = Int32(tag.attributes.lowerBound)
    nodes[outer].stop = Int32(tag.attributes.upperBound)
  }

  /// Closes SVG and MathML, as far as they have no HTML inside.
  private mutating func endForeign() {
    var depth = open.count - 1
    while depth > 0, open[depth].isForeign { depth -= 1 }
    close(downTo: depth + 1)
  }

  private mutating func addEnd(_ tag: HTMLTokenizer.Tag) {
    let element = tag.element
    let traits = element.traits
    if element == .p || element == .br { endForeign() }
    switch element {
    case .p where !(mayBeOpen(.p) && depth(of: { $0.element == .p }) != nil):
      // An end without a start is an empty paragraph, which separates words.
      openImplied(.p, [])
      add(.p, tag.name, nil)
      return closeTop()
    case .br:
      openImplied(.br, [])
      return add(.br, tag.name, nil)
    default: break
    }
    // Content may follow the end tags of html and body.
    guard element != .html, element != .body,
      openCounts[OpenElement.slot(tag.name)] > 0 || traits.contains(.heading)
    else { return }
    if traits.contains(.formatting) { return endFormatting(element) }
    if traits.contains(.heading) {
      if let depth = depth(of: { $0.traits.contains(.heading) }) { close(downTo: depth) }
      return
    }
    let barriers: ElementTraits
    switch element {
    case .li:
      if let depth = depth(of: { [.li, .ul, .ol, .menu].contains($0.element) }), open[depth].element == .li {
        close(downTo: depth)
      }
      return
    case .table, .tbody, .thead, .tfoot, .tr, .caption, .colgroup: return endTable(element)
    case _ where traits.contains(.barrier) || traits.contains(.special): barriers = .barrier
    default: barriers = .special
    }
    guard let depth = depth(within: barriers, of: { $0.name == tag.name && !$0.isEnded }) else { return }
    if element == .form, open.count - 1 > depth {
      open[depth].isEnded = true
    } else {
      close(downTo: depth)
    }
  }

  /// Ends a part of the innermost table, or the table.
  private mutating func endTable(_ element: HTMLElement) {
    var depth = open.count - 1
    while depth > 0, open[depth].element != element {
      if open[depth].element == .table || open[depth].element == .template { return }
      depth -= 1
    }
    if depth > 0 { close(downTo: depth) }
  }
}
