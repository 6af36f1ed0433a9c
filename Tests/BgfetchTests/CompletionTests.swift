// Completion as shells do it, with the scripts that the program prints.

import Foundation
import TestKit
import Testing

@Suite struct CompletionTests {
  private func program() throws -> BuiltProgram {
    try BuiltProgram(
      configuration: """
        feeds: {planet: https://planet.example/, plain.news: https://news.example/, zebra: https://zebra.example/}
        hooks: {desktop: {events: [notification], run: ["true"]}, "mail": {events: [failed], run: ["true"]}}
        """)
  }

  /// What bash offers for a command line whose last word is under the cursor.
  private func bash(_ bgfetch: BuiltProgram, _ words: String...) async throws -> Set<String> {
    let quoted = (["$BGFETCH"] + words).map { "\"\($0)\"" }.joined(separator: " ")
    let invoked = try await bgfetch.shell(
      """
      exec bash --norc -c '
        set -e; "$BGFETCH" --generate-completion-script bash > completions; set +e
        . ./completions; complete -p bgfetch >/dev/null || exit 9
        COMP_WORDS=(\(quoted)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"
        COMP_POINT=${#COMP_LINE}; COMPREPLY=()
        _bgfetch bgfetch "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\\n" "${COMPREPLY[@]}"'
      """)
    #expect(invoked.errors == "")
    return Set(invoked.lines.map { $0.trimmingCharacters(in: .whitespaces) })
  }

  @Test func `bash completes commands, options and values`() async throws {
    let bgfetch = try program()

    #expect(try await bash(bgfetch, "im") == ["import"])
    #expect(try await bash(bgfetch, "export", "--o") == ["--output"])
    #expect(try await bash(bgfetch, "badge", "--format", "w") == ["waybar"])
  }

  @Test func `bash completes names of feeds and hooks`() async throws {
    let bgfetch = try program()

    for command in ["run", "status", "why", "items", "seen"] {
      #expect(try await bash(bgfetch, command, "pl") == ["planet", "plain.news"], "\(command)")
    }
    #expect(try await bash(bgfetch, "run", "planet", "-v", "z") == ["zebra"])
    #expect(try await bash(bgfetch, "parse", "--feed", "z") == ["zebra"])
    #expect(try await bash(bgfetch, "hooks", "test", "d") == ["desktop"])
  }

  @Test func `bash completes files where a file is wanted`() async throws {
    let bgfetch = try program()
    _ = try bgfetch.home.write("", to: "list.opml")

    #expect(try await bash(bgfetch, "import", "li") == ["list.opml"])
    #expect(try await bash(bgfetch, "check", "--config", "bgf") == ["bgfetch.yaml"])
  }

  @Test func `names are those of the configuration that the line names`() async throws {
    let bgfetch = try program()
    _ = try bgfetch.home.write("feeds: {plum: https://plum.example/}\n", to: "other.yaml")

    #expect(try await bash(bgfetch, "why", "--config", "other.yaml", "p") == ["plum"])
    #expect(try await bash(bgfetch, "why", "--config=other.yaml", "p") == ["plum"])
  }

  @Test func `a configuration that is wrong or missing completes nothing and says nothing`() async throws {
    let bgfetch = try program()
    try bgfetch.configure("feeds: [")

    #expect(try await bash(bgfetch, "why", "p") == [])
    #expect(try await bash(bgfetch, "why", "--config", "missing", "p") == [])
  }

  @Test(.enabled(if: access("/usr/bin/fish", X_OK) == 0))
  func `fish completes commands and values`() async throws {
    let bgfetch = try program()

    let invoked = try await bgfetch.shell(
      """
      mkdir bin && ln -s "$BGFETCH" bin/bgfetch && PATH=$PWD/bin:$PATH
      bgfetch --generate-completion-script fish > completions.fish
      exec fish --no-config -c 'source completions.fish
        for line in "bgfetch exp" "bgfetch badge --format w"; complete -C $line; end'
      """)

    // Names it completes only on a terminal: elsewhere fish 3 does not say where the cursor is.
    #expect(invoked.lines.map { $0.prefix { $0 != "\t" } } == ["export", "waybar"])
  }

  @Test(.enabled(if: access("/usr/bin/zsh", X_OK) == 0))
  func `zsh can read its script`() async throws {
    let bgfetch = try program()

    let invoked = try await bgfetch.shell(
      "\"$BGFETCH\" --generate-completion-script zsh > _bgfetch && head -n 1 _bgfetch && exec zsh -f -n _bgfetch"
    )

    #expect(invoked.status == 0)
    #expect(invoked.output == "#compdef bgfetch\n")
    #expect(invoked.errors == "")
  }
}
