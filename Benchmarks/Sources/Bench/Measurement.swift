/// Times both sides in turns, so that what the machine does meanwhile hits both.
struct Measurement {
    let roundCount: Int

    /// How long a side works in a round.
    var roundDuration: Duration = .milliseconds(40)

    private let clock = ContinuousClock()

    init(roundCount: Int) {
        self.roundCount = roundCount
    }

    func outcome(of contest: Contest) async throws -> Outcome {
        let counts = (try await count(contest.ours), try await count(contest.baseline))
        var ours: [Duration] = []
        var baseline: [Duration] = []
        for round in 0..<roundCount {
            // Who comes first changes with every round.
            if round.isMultiple(of: 2) { ours.append(try await time(contest.ours, counts.0)) }
            baseline.append(try await time(contest.baseline, counts.1))
            if !round.isMultiple(of: 2) { ours.append(try await time(contest.ours, counts.0)) }
        }
        let ratios = zip(ours, baseline).map { $0 / $1 }.sorted()
        let middle = ratios.median
        return Outcome(
            ours: ours.sorted().median,
            baseline: baseline.sorted().median,
            ratio: middle,
            spread: (ratios[ratios.count * 3 / 4] - ratios[ratios.count / 4]) / middle,
            roundCount: roundCount
        )
    }

    /// How often a side has to work to fill a round; what it does meanwhile warms everything up.
    private func count(_ work: Work) async throws -> Int {
        var count = 1
        while true {
            let elapsed = try await clock.measure { try await work(count) }
            if elapsed >= roundDuration { return count }
            let missing = elapsed > .zero ? min(10, roundDuration / elapsed) : 10
            count = max(count + 1, Int(Double(count) * missing * 1.1))
        }
    }

    private func time(_ work: Work, _ count: Int) async throws -> Duration {
        try await clock.measure { try await work(count) } / count
    }
}

extension Array {
    /// The one in the middle; of an even number the upper one.
    fileprivate var median: Element { self[count / 2] }
}

/// Takes a value that the compiler must not leave out.
@inline(never) @_optimize(none)
func use<Value>(_ value: Value) {}
