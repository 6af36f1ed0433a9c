// A libFuzzer target for feed documents: whatever the bytes are, reading them ends, and gives valid text in bounds.
// SwiftPM renames `main`, so this is built by hand, the three modules as one, from the top of the repository:
//
// mkdir -p /tmp/fuzz/seen; find Sources/{Timing,Model,FeedReading} Tests/Fuzz -name '*.swift' | while read -r f; do sed -E '/^(public )?import (Timing|Model|FeedReading)$/d' "$f" > "/tmp/fuzz/${f//\//-}"; done
// swiftc -O -swift-version 6 -parse-as-library -module-name FeedReading -sanitize=fuzzer,address -o /tmp/fuzz/run /tmp/fuzz/*.swift && SWIFT_BACKTRACE=enable=no /tmp/fuzz/run -max_len=4096 -timeout=5 /tmp/fuzz/seen

import FeedReading
import Model

/// Reads one document; called by libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func readsAnyDocument(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  // The first byte chooses the header, so that other encodings are met too.
  let types = [nil, "text/xml; charset=utf-8", "text/xml; charset=shift_jis", "text/xml; charset=gb18030"]
  let type = types[Int(bytes.first ?? 0) % types.count]
  for (contentType, kind) in [(nil, FeedKind.feed), (type, .feed), (nil, mapped)] {
    guard
      let feed = try? readFeed(
        bytes, as: kind, contentType: contentType, address: "https://a.example/feed")
    else { continue }
    for item in feed.items {
      guard (item.title?.utf8.count ?? 0) <= 4096, item.enclosures.count <= 200 else {
        fatalError("out of bounds")
      }
      for text in [item.title, item.summary, item.content] {
        guard let text else { continue }
        let plain = plainText(fromHTML: text, limit: 200)
        guard plain.utf8.count <= 200, cleanText(text, limit: 50).utf8.count <= 50 else {
          fatalError("too long")
        }
      }
    }
  }
  for entry in (try? readSubscriptions(bytes)) ?? [] {
    guard case .feed(let subscription, _) = entry else { continue }
    guard (subscription.title?.utf8.count ?? 0) <= 4096 else { fatalError("title out of bounds") }
  }
  return 0
}

/// Any JSON, whatever its members are called.
private let mapped: FeedKind = {
  let pointers = ["", "/*", "/*/*", "/a/0/*"].compactMap { try? JSONPointer(parsing: $0) }
  let parts = JSONMapping.Part.allCases.map { ($0, pointers) }
  return .json(JSONMapping(items: pointers, parts: Dictionary(uniqueKeysWithValues: parts)))
}()
