import FoundationEssentials
import Glibc

/// The target of this run: the environment variable `CALOTYPE_FUZZ_TARGET` names it.
private let target: FuzzTarget = {
    guard let name = getenv("CALOTYPE_FUZZ_TARGET").map({ String(cString: $0) }) else {
        preconditionFailure("CALOTYPE_FUZZ_TARGET is one of \(FuzzTarget.names)")
    }
    guard let target = FuzzTarget(rawValue: name) else {
        preconditionFailure("there is no target \(name); CALOTYPE_FUZZ_TARGET is one of \(FuzzTarget.names)")
    }
    return target
}()

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(bytes.map { Data(bytes: $0, count: count) } ?? Data())
    return 0
}
