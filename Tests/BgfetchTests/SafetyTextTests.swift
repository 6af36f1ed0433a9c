// What is said of files that others may have written.

import Testing

@testable import Host
@testable import bgfetch

@Suite struct SafetyTextTests {
  @Test(
    arguments: [
      (.writableByAnyone, false, "/a: every user may write it; chmod go-w /a"),
      (
        .writableByAnyone, true,
        "/a: every user may write it; keep it elsewhere, or mount its file system, which keeps no permissions, with uid= and umask=077"
      ),
      (.writableByGroup(7), false, "/a: the group 7 may write it; chmod go-w /a"),
      (
        .writableByGroup(7), true,
        "/a: the group 7 may write it; keep it elsewhere, or mount its file system, which keeps no permissions, with uid= and umask=077"
      ),
      (.openToAnyone, false, "/a: every user may put files into it; use a directory of your own"),
      (
        .ownedByOther(user: 7), false,
        "/a: belongs to user 7, who could change it; chown it to yourself, or use another path"
      ),
      (
        .ownedByOther(user: 7), true,
        "/a: belongs to user 7, who could change it; keep it elsewhere, or mount its file system, which keeps no permissions, with uid= and umask=077"
      ),
    ] as [(SafetyFinding.Problem, Bool, String)])
  func `the cure is one that works there`(problem: SafetyFinding.Problem, isOfMount: Bool, text: String) {
    #expect(safetyText(SafetyFinding(path: "/a", problem: problem, isOfMount: isOfMount)) == text)
  }
}
