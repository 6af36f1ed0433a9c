// What is downloaded of feeds, held once for all feeds that say the same.

/// What of their assets is downloaded, for feeds that share it.
///
/// A feed is one of perhaps a hundred thousand, and most have nothing of it or what `defaults` say: here it is one word
/// in each feed, and its fingerprint is computed once. Nothing of it ever changes, and it is compared by what it says.
public final class SharedDownload: Hashable, Sendable {
  /// What is downloaded.
  public let spec: DownloadSpec
  /// A fingerprint of all of it.
  public let fingerprint: UInt64

  /// A download to share.
  public init(_ spec: DownloadSpec) {
    self.spec = spec
    fingerprint = spec.fingerprint
  }

  /// Every enclosure, into the documents directory.
  public static let standard = SharedDownload(DownloadSpec())

  /// Whether two say the same.
  public static func == (left: SharedDownload, right: SharedDownload) -> Bool {
    left === right || left.spec == right.spec
  }

  /// Hashes what they say.
  public func hash(into hasher: inout Hasher) { hasher.combine(spec) }
}

extension FeedSpec {
  /// What of its assets is downloaded; nil downloads nothing.
  ///
  /// A feed of kind `asset` always has it.
  public var download: DownloadSpec? {
    get { sharedDownload?.spec }
    set { sharedDownload = newValue.map(SharedDownload.init) }
  }
}

extension FeedSpec {
  /// How its files are downloaded and placed, whoever named them: a document of the feed or a push; nil where nobody may.
  ///
  /// A feed with `push.url` alone brings the files of its pushes as `download: {}` would, and none of its items' own.
  public var transferDownload: DownloadSpec? {
    download ?? (push.url == nil ? nil : SharedDownload.standard.spec)
  }
}

extension DownloadSpec {
  fileprivate var fingerprint: UInt64 {
    var print = Fingerprint()
    print.add(select.rawValue)
    print.add(directory)
    for list in [types, filter.include, filter.exclude] {
      print.add(String(list.count))
      for text in list { print.add(text) }
    }
    print.add((name?.parts.count).map { String($0) })
    for part in name?.parts ?? [] {
      switch part {
      case .literal(let text): print.add(text)
      case .placeholder(let name, let format):
        print.add("{" + name)
        print.add(format)
      }
    }
    let numbers: [Int64?] = [
      limit.map { Int64($0) }, maxSize?.bytes, keep.count.map { Int64($0) }, keep.age?.seconds,
      keep.size?.bytes, Int64(priority),
    ]
    for number in numbers { print.add(number.map { String($0) }) }
    return print.value
  }
}
