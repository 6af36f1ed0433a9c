// Reading a configuration by its index: everything but the feeds, which are read when they are asked for.

import Core
import Synchronization

/// Reads a configuration whose files have not changed since they were indexed; feeds are read when they are asked for.
///
/// Warnings about feeds are not repeated. `secretVariables` are those of all feeds.
///
/// - Returns: nil if the index does not fit; the parameters are those of the other `readConfiguration`.
public func readConfiguration(
  _ bytes: [UInt8], file: String, path: String, context: ConfigurationContext, index: FeedIndex,
  secretVariables: Set<String>
) -> ConfigurationReading? {
  guard let text = index.text(ofFile: 0, bytes, keeping: []) else { return nil }
  let included = Mutex<[[UInt8]]>([])
  var withoutFeeds = context
  withoutFeeds.hasFeeds = false
  // Files are read in the order in which they were indexed.
  withoutFeeds.files.read = { path, limit in
    context.files.read(path, limit).flatMap { file in
      let number = included.withLock { files in
        files.append(file.bytes)
        return files.count
      }
      guard let text = index.text(ofFile: number, file.bytes, keeping: []) else {
        return .failure(ConfigurationFileRefusal("\(path): has changed", cure: nil))
      }
      var file = file
      file.bytes = text
      return .success(file)
    }
  }
  var reading = readConfiguration(text, file: file, path: path, context: withoutFeeds)
  let texts = [bytes] + included.withLock { $0 }
  guard var settings = reading.settings, texts.count == index.files.count else { return nil }
  let files = zip(zip(reading.files, reading.sources), texts).map {
    IndexedFile(name: $0.0, path: $0.1, bytes: $1)
  }
  settings.feeds = FeedList(
    IndexedFeeds(index, files, context, network: settings.network, secretVariables: secretVariables))
  reading.settings = settings
  reading.texts = texts
  return reading
}
