import CalotypeCache
import FoundationEssentials
import TestMaterial

/// Operations on a memory cache of any policy, beside a naive twin.
enum MemoryCacheCheck {
    static func run(_ input: Data) {
        var choices = ByteChoices([UInt8](input))
        let policy = choices.choice(from: EvictionPolicyKind.allCases)
        var model = MemoryCacheModel(MemoryCacheSetting(policy: policy, &choices))
        do {
            try model.run(stepCount: .max, &choices)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
