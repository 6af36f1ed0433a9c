// The part of a configuration that a bug report shows.

import Config
import Testing

@Suite struct MaskedConfigurationTests {
  @Test(arguments: [
    (
      "addresses and names", "feeds: {planet: https://me:word@planet.example/feed?token=1}", "feeds:\n  …1: …"
    ),
    (
      "keys, durations and booleans", "defaults: {minimum-interval: 1h30m}\nhooks: {d: {popup: true}}",
      "defaults:\n  minimum-interval: 1h30m\nhooks:\n  …1:\n    popup: true"
    ),
    (
      "headers", "feeds: {a: {url: x, headers: {X-Key: 4711abc}}}",
      "feeds:\n  …1:\n    url: …\n    headers:\n      …1: …"
    ),
    (
      "words of a list", "feeds: {a: {url: x, hooks: [none, mine]}}",
      "feeds:\n  …1:\n    url: …\n    hooks:\n      - none\n      - …"
    ),
    ("lists of mappings", "include: [{secret: me}]", "include:\n  -\n    secret: …"),
    ("sizes", "defaults: {download: {max-size: 20 GiB}}", "defaults:\n  download:\n    max-size: 20 GiB"),
    (
      "what looks like a number", "feeds: {a: {url: 123456789012345, x: 12abc}}",
      "feeds:\n  …1:\n    url: …\n    …2: …"
    ),
    ("aliases", "feeds: {a: &x {url: y}, b: *x}", "feeds:\n  …1:\n    url: …\n  …2:\n    url: …"),
    ("a key's name as a value", "hooks: {a: {run: [url]}}", "hooks:\n  …1:\n    run:\n      - …"),
    ("comments", "feeds: {} # of my bank", "feeds:"),
    ("nothing", "", ""),
  ])
  func `a masked configuration has keys, numbers and fixed words`(name: String, text: String, masked: String)
  {
    #expect(maskedConfiguration(Array(text.utf8)) == masked, "\(name)")
  }

  @Test(arguments: ["a: [", "\u{0}"])
  func `what is not YAML is not shown`(text: String) {
    #expect(maskedConfiguration(Array(text.utf8)) == nil)
  }
}
