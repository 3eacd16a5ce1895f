/// A measurement, its baseline, and its target.
struct Row: Sendable {
    /// The name that selects the row.
    let name: String

    /// The measured operation and its baseline.
    let title: String

    let unit: Unit
    let target: Target

    private let measure: @Sendable (Measurement, Unit) async throws -> Outcome

    /// A row of times.
    ///
    /// `contest` makes what the row works on, and both sides; it is called once, before anything is timed.
    init(
        _ name: String,
        _ title: String,
        in unit: Unit,
        _ target: Target = .none,
        contest: @escaping @Sendable () async throws -> Contest
    ) {
        (self.name, self.title, self.unit, self.target) = (name, title, unit, target)
        measure = { try await $0.outcome(of: contest(), in: $1) }
    }

    /// A row of figures that are the same in every run, or that cannot be had by timing something over and
    /// over.
    init(
        _ name: String,
        _ title: String,
        counted unit: Unit,
        _ target: Target = .none,
        figures: @escaping @Sendable () async throws -> Figures
    ) {
        (self.name, self.title, self.unit, self.target) = (name, title, unit, target)
        measure = { _, _ in Outcome([try await figures()]) }
    }

    func outcome(_ measurement: Measurement) async throws -> Outcome {
        try await measure(measurement, unit)
    }
}

/// A row cannot be run here, and why.
struct Skipped: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// Does the same thing a number of times.
typealias Work = @Sendable (_ count: Int) async throws -> Void

/// One of the two that a row compares.
struct Side: Sendable {
    /// How often the work is done in a turn at least.
    var minCount = 1

    /// How often the work is done before it is prepared anew.
    var maxCount = Int.max

    /// Makes ready what the work of the next turn uses up; not timed.
    var prepare: Work?

    let work: Work
}

/// The two sides of a row, over the same material.
struct Contest: Sendable {
    let ours: Side
    /// `nil` where a row is what it is.
    let baseline: Side?

    init(ours: Side, baseline: Side? = nil) {
        self.ours = ours
        self.baseline = baseline
    }

    init(ours: @escaping Work, baseline: @escaping Work) {
        self.init(ours: Side(work: ours), baseline: Side(work: baseline))
    }
}

/// The result of one round, in the unit of the row.
struct Figures: Sendable {
    let ours: Double
    let baseline: Double?
    /// The processor time of one operation on all threads, in microseconds, if it was timed.
    var processorTime: Double?
    var baselineProcessorTime: Double?

    init(ours: Double, baseline: Double? = nil) {
        self.ours = ours
        self.baseline = baseline
    }

    /// Ours divided by the baseline, where that is something.
    var ratio: Double? { baseline.flatMap { $0 == 0 ? nil : ours / $0 } }
    var difference: Double? { baseline.map { ours - $0 } }
}

/// Takes a value that the compiler must not leave out.
@inline(never) @_optimize(none)
func use<Value>(_ value: Value) {}
