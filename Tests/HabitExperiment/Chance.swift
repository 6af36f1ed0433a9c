// Random numbers that are the same for the same seed, and the distributions that people and publishers live by.

/// Numbers that look random and are the same in every run (SplitMix64).
public struct Chance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of a seed; the same words give the same numbers.
  public init(seed: UInt64, _ words: String = "") {
    // FNV-1a over the words, so that every person of an experiment has numbers of their own.
    state = words.utf8.reduce(0xCBF2_9CE4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    _ = next()
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// Whether something happens that has this probability.
  mutating func happens(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  /// A number from a range.
  mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

  /// A number from a range.
  mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A number around 0 with deviation 1, nearly normal: the sum of twelve even ones.
  mutating func deviation() -> Double { (0..<12).reduce(-6) { sum, _ in sum + number(0...1) } }

  /// How many of something happen that happens so often on average (Poisson).
  mutating func occurrences(_ mean: Double) -> Int {
    // Many halves of a chance each: near enough, and without logarithms.
    let parts = max(20, Int(mean * 10))
    return (0..<parts).count { _ in happens(mean / Double(parts)) }
  }
}
