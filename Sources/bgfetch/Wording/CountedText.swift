// Numbers with what they count.

/// A number with its noun.
func counted(_ count: Int, _ noun: String) -> String { counted(count, noun, noun + "s") }

/// A number with its noun, whose plural is no common one.
func counted(_ count: Int, _ noun: String, _ plural: String) -> String {
  "\(count) \(count == 1 ? noun : plural)"
}
