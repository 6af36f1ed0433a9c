// The messages of errors that tests from outside cannot cause on every machine.

import Testing

@testable import Machine
@testable import bgfetch

@Suite struct ErrorTextTests {
  @Test(arguments: [
    (nil, "HOME is not set"), ("", "HOME is \"\", which is not an absolute path"),
    ("me", "HOME is \"me\", which is not an absolute path"),
  ])
  func `without a home directory the message says what is missing`(home: String?, problem: String) {
    #expect(
      errorText(ProgramFailure.noHome(home)).lines == [
        "bgfetch: there is no home directory: \(problem), and the password database has none for this user; set HOME"
      ])
  }
}

@Suite struct SafetyTextTests {
  private static let elsewhere =
    "keep it elsewhere, or mount its file system, which stores no permissions, with uid= and umask=077"

  @Test(
    arguments: [
      (.writableByAnyone, false, "/a: every user can write to it; chmod go-w /a"),
      (.writableByAnyone, true, "/a: every user can write to it; \(elsewhere)"),
      (.writableByGroup(7), false, "/a: the group 7 can write to it; chmod go-w /a"),
      (.writableByGroup(7), true, "/a: the group 7 can write to it; \(elsewhere)"),
      (.openToAnyone, false, "/a: every user can add files to it; use a directory of your own"),
      (
        .ownedByOther(user: 7), false,
        "/a: belongs to user 7, who could change it; chown it to yourself, or use another path"
      ),
      (.ownedByOther(user: 7), true, "/a: belongs to user 7, who could change it; \(elsewhere)"),
    ] as [(SafetyFinding.Problem, Bool, String)])
  func `the advice fits the problem and the file system`(
    problem: SafetyFinding.Problem, isOfMount: Bool, text: String
  ) {
    #expect(safetyText(SafetyFinding(path: "/a", problem: problem, isOfMount: isOfMount)) == text)
  }
}
