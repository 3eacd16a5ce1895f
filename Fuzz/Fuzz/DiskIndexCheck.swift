import FoundationEssentials
import TestMaterial

/// Operations on an index, beside a naive twin.
enum DiskIndexCheck {
    static func run(_ input: Data) {
        var choices = ByteChoices([UInt8](input))
        let keyCount = 1 + choices.choice(of: 64)
        var model = DiskIndexModel(keyCount: keyCount)
        var time: Int64 = 0
        do {
            while !choices.isExhausted {
                time += Int64(choices.choice(of: 3))
                try model.apply(.init(keyCount: keyCount, time: time, &choices))
            }
            try model.check()
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
