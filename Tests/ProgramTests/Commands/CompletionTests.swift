// Shell completion: real shells with the scripts that the program prints.

import Foundation
import TestKit
import Testing

@Suite struct CompletionTests {
  private let bgfetch: BuiltProgram

  init() throws {
    bgfetch = try BuiltProgram(
      configuration: """
        feeds: {planet: https://planet.example/, plain.news: https://news.example/, zebra: https://zebra.example/}
        hooks: {desktop: {events: [notification], run: ["true"]}, "mail": {events: [failed], run: ["true"]}}
        """)
  }

  /// The words that bash offers at the end of a line that it splits into these words.
  ///
  /// Bash splits words at @ before it asks for completions, but gives the function the whole word.
  private func bash(_ words: [String], line: String? = nil) async throws -> Set<String> {
    let line = line ?? words.joined(separator: " ")
    let word = line.split(separator: " ").last ?? ""
    let invoked = try await bgfetch.shell(
      """
      exec bash --norc -c '
        set -e; test -e completions || "$BGFETCH" --generate-completion-script bash > completions; set +e
        . ./completions; complete -p bgfetch | grep -q -- "-F _bgfetch_with_tags bgfetch" || exit 9
        COMP_WORDS=("$BGFETCH" \(words.map { "\"\($0)\"" }.joined(separator: " "))); COMP_CWORD=\(words.count)
        COMP_LINE="$BGFETCH \(line)"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
        _bgfetch_with_tags bgfetch "\(word)" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\\n" "${COMPREPLY[@]}"'
      """, status: 0)
    #expect(invoked.errors == "")
    return Set(invoked.lines.map { $0.trimmingCharacters(in: .whitespaces) })
  }

  @Test func `bash completes commands, options, values, names and files`() async throws {
    try bgfetch.home.write("feeds: {plum: https://plum.example/}\n", to: "other.yaml")
    try bgfetch.home.write("", to: "list.opml")
    for (words, expected) in [
      (["im"], ["import"]), (["items", "--o"], ["--output", "--older-than"]),
      (["badge", "--format", "w"], ["waybar"]),
      (["run", "pl"], ["planet", "plain.news"]), (["status", "pl"], ["planet", "plain.news"]),
      (["why", "pl"], ["planet", "plain.news"]), (["items", "pl"], ["planet", "plain.news"]),
      (["seen", "pl"], ["planet", "plain.news"]), (["run", "planet", "-v", "z"], ["zebra"]),
      (["push", "--feed", "z"], ["zebra"]), (["hooks", "test", "d"], ["desktop"]),
      (["transfers", "retry", "z"], ["zebra"]),
      (["why", "--config", "other.yaml", "p"], ["plum"]), (["why", "--config=other.yaml", "p"], ["plum"]),
      (["import", "li"], ["list.opml"]), (["check", "--config", "bgf"], ["bgfetch.yaml"]),
    ] as [([String], Set<String>)] {
      #expect(try await bash(words) == expected)
    }
  }

  @Test func `bash completes tags`() async throws {
    try bgfetch.configure("feeds: {planet: {url: https://planet.example/, tags: [tech, animals]}}")
    for (line, words, expected) in [
      ("run @te", ["run", "@", "te"], ["@tech"]), ("run @", ["run", "@"], ["@tech", "@animals"]),
      ("run @tech @an", ["run", "@", "tech", "@", "an"], ["@animals"]),
    ] as [(String, [String], Set<String>)] {
      #expect(try await bash(words, line: line) == expected)
    }
  }

  @Test func `bash completes any name and runs nothing in it`() async throws {
    for name in [
      "$(touch run)", "`touch run`", "x; touch run", "a\\`touch run\\`", "*", "~", "$HOME", "{a,b}", "'",
      "\"", "\\",
    ] {
      try bgfetch.home.write(name, to: "name")
      for mark in ["", "@"] {
        let invoked = try await bgfetch.shell(
          """
          exec bash --norc -c '
            test -e completions || "$BGFETCH" --generate-completion-script bash > completions
            . ./completions
            bgfetch() { printf "%s\n" "\(mark)$(cat name)"; }
            COMP_WORDS=(bgfetch run \(mark)); COMP_CWORD=2; COMP_LINE="bgfetch run \(mark)"
            COMP_POINT=${#COMP_LINE}; COMPREPLY=()
            _bgfetch_with_tags bgfetch "\(mark)" run
            for word in "${COMPREPLY[@]}"; do
              # As Bash inserts it: it escapes by itself only what may be the name of a file.
              test -z "\(mark)" && printf "%s\n" "$word" || eval "echo $word"
            done' 2>&1
          """)
        #expect(invoked.output.hasPrefix(mark + name + "\n"), "\(invoked)")
        #expect(bgfetch.text(of: "run").isEmpty, "\(mark) \(name)")
        #expect(access(bgfetch.home.file("run"), F_OK) != 0, "\(mark) \(name)")
      }
    }
  }

  @Test func `with a wrong or missing configuration nothing is completed or printed`() async throws {
    try bgfetch.configure("feeds: [")

    #expect(try await bash(["why", "p"]) == [])
    #expect(try await bash(["why", "--config", "missing", "p"]) == [])
  }

  @Test(.enabled(if: access("/usr/bin/fish", X_OK) == 0))
  func `fish completes commands and values`() async throws {
    let invoked = try await bgfetch.shell(
      """
      mkdir bin && ln -s "$BGFETCH" bin/bgfetch && PATH=$PWD/bin:$PATH
      bgfetch --generate-completion-script fish > completions.fish
      exec fish --no-config -c 'source completions.fish
        for line in "bgfetch exp" "bgfetch badge --format w"; complete -C $line; end'
      """)

    // Names are not tested: without a terminal, fish 3 does not tell the program where the cursor is.
    #expect(invoked.lines.map { $0.prefix { $0 != "\t" } } == ["export", "waybar"])
  }

  @Test(.enabled(if: access("/usr/bin/zsh", X_OK) == 0))
  func `zsh can read its script`() async throws {
    let invoked = try await bgfetch.shell(
      "\"$BGFETCH\" --generate-completion-script zsh > _bgfetch && head -n 1 _bgfetch && exec zsh -f -n _bgfetch",
      status: 0, prints: "#compdef bgfetch\n")

    #expect(invoked.errors == "")
  }
}
