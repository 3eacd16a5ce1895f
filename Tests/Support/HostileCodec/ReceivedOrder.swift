import CalotypeSupport
import FoundationEssentials

/// A message of the program, as far as a forged worker interprets it.
struct ReceivedOrder: Decodable {
    /// A job with the lengths of its inputs.
    struct Job: Decodable {
        /// Its kind, as the single key.
        let kind: [String: Ignored]
        let inputByteCounts: [Int]

        private enum CodingKeys: String, CodingKey {
            case kind = "_0"
            case inputByteCounts
        }
    }

    /// A value without meaning for a forged worker.
    struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }

    let job: Job?
    let frame: Ignored?

    /// Receives the next message; exits with the program.
    static func next() -> ReceivedOrder {
        do {
            return try JSONDecoder().decode(ReceivedOrder.self, from: Data(Forged.receive()))
        } catch {
            exit(1)
        }
    }
}
