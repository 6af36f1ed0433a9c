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
      "words of a list", "hooks: {a: {events: [failed, mine]}}",
      "hooks:\n  …1:\n    events:\n      - failed\n      - …"
    ),
    (
      "lists of mappings", "defaults: {filter: {exclude: [{title: x, age: 5}]}}",
      "defaults:\n  filter:\n    exclude:\n      -\n        title: …\n        …2: …"
    ),
    (
      "sizes", "free-space: 20GiB\nnetwork: {rate-limit: 1MB/s}",
      "free-space: 20GiB\nnetwork:\n  rate-limit: 1MB/s"
    ),
    (
      "a word where it is none", "state: none\nbudget: none\ntimezone: unseen",
      "state: …\nbudget: none\ntimezone: …"
    ),
    ("a secret where a duration belongs", "budget: hunter2", "budget: …"),
    (
      "numbers that may be a PIN or a telephone number",
      "hooks: {sms: {run: [sms, 0170123456, 1h], environment: {url: 4711}, webhook: {body: {limit: 4711}}}}",
      """
      hooks:
        …1:
          run:
            - …
            - …
            - …
          environment:
            …1: …
          webhook:
            body:
              …1: …
      """
    ),
    (
      "a key at a place where it is none", "feeds: {limit: {url: x, retries: 3}}",
      "feeds:\n  …1:\n    url: …\n    …2: …"
    ),
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
