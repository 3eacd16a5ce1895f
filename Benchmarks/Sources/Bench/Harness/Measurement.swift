import Glibc

/// Times both sides in turns, so that what the machine does meanwhile hits both.
struct Measurement {
    let roundCount: Int

    /// How long a side works in a round at least, if it may do its work so often.
    var roundDuration: Duration = .milliseconds(40)

    private let clock = ContinuousClock()

    init(roundCount: Int) {
        self.roundCount = roundCount
    }

    func outcome(of contest: Contest, in unit: Unit) async throws -> Outcome {
        let count = try await count(contest.ours)
        guard let baseline = contest.baseline else {
            var rounds: [Figures] = []
            for _ in 0..<roundCount {
                rounds.append(Figures(try await time(contest.ours, count), in: unit))
            }
            return Outcome(rounds)
        }
        let baselineCount = try await self.count(baseline)
        var rounds: [Figures] = []
        for round in 0..<roundCount {
            // The side that runs first alternates between rounds.
            let isFirst = round.isMultiple(of: 2)
            let early = isFirst ? try await time(contest.ours, count) : nil
            let theirs = try await time(baseline, baselineCount)
            let ours = if let early { early } else { try await time(contest.ours, count) }
            rounds.append(Figures(ours, theirs, in: unit))
        }
        return Outcome(rounds)
    }

    /// How often a side has to work to fill a round; what it does meanwhile warms everything up.
    private func count(_ side: Side) async throws -> Int {
        var count = side.minCount
        while true {
            let elapsed = try await time(side, count).elapsed * count
            if elapsed >= roundDuration || count >= side.maxCount { return count }
            let missing = elapsed > .zero ? min(10, roundDuration / elapsed) : 10
            count = min(side.maxCount, max(count + 1, Int(Double(count) * missing * 1.1)))
        }
    }

    /// How long one of `count` took, and how long all threads of the process computed for it.
    private func time(_ side: Side, _ count: Int) async throws -> Times {
        try await side.prepare?(count)
        let before = Self.processorTime
        let elapsed = try await clock.measure { try await side.work(count) }
        return Times(elapsed: elapsed / count, processor: (Self.processorTime - before) / count)
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// The time of one operation in a round.
struct Times: Sendable {
    let elapsed: Duration
    let processor: Duration
}

extension Figures {
    fileprivate init(_ ours: Times, _ theirs: Times? = nil, in unit: Unit) {
        self.init(ours: unit.value(of: ours.elapsed), baseline: theirs.map { unit.value(of: $0.elapsed) })
        processorTime = ours.processor / .microseconds(1)
        baselineProcessorTime = theirs.map { $0.processor / .microseconds(1) }
    }
}

/// The result of a row: the figure of one operation on each side.
struct Outcome: Sendable {
    /// Medians over all rounds.
    let ours: Double
    let baseline: Double?
    /// The median of the ratios of each round, ours to the baseline.
    let ratio: Double?
    /// The median of the differences of each round, ours less the baseline.
    let difference: Double?
    /// How far the middle half of the ratios, or of our figures without a baseline, reaches as a part of
    /// their median.
    let spread: Double
    let roundCount: Int
    /// The median of the processor time of one, in microseconds; that of all threads.
    let processorTime: Double?
    let baselineProcessorTime: Double?

    init(_ rounds: [Figures]) {
        let ratios = rounds.compactMap(\.ratio)
        ours = rounds.map(\.ours).median ?? .nan
        baseline = rounds.compactMap(\.baseline).median
        ratio = ratios.median
        difference = rounds.compactMap(\.difference).median
        spread = (ratios.isEmpty ? rounds.map(\.ours) : ratios).spread
        roundCount = rounds.count
        processorTime = rounds.compactMap(\.processorTime).median
        baselineProcessorTime = rounds.compactMap(\.baselineProcessorTime).median
    }
}

extension [Double] {
    /// The one in the middle; of an even number the upper one; `nil` of none.
    fileprivate var median: Double? { isEmpty ? nil : sorted()[count / 2] }

    fileprivate var spread: Double {
        let sorted = sorted()
        guard let median = sorted.median, median != 0 else { return 0 }
        return (sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]) / median
    }
}
