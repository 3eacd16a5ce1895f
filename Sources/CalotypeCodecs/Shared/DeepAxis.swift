import CalotypeCore

/// The source pixels along one axis that contribute to each pixel of the result, with their weights.
@safe struct DeepAxis {
    struct Tap: BitwiseCopyable {
        var index: Int32
        var weight: Float
    }

    private let all: Scratch<Tap>
    private let starts: Scratch<Int>

    /// Computes the weights of an axis.
    ///
    /// - Throws: ``CodecFailure`` for lack of memory.
    init(_ sourceCount: Int, extent: Double, count: Int, _ kernel: DeepKernel) throws(CodecFailure) {
        let scale = extent / Double(count)
        // Lanczos rings when an image is enlarged.
        let kernel = scale < 1 && kernel == .lanczos3 ? .cubic : kernel
        let stretch = max(1, scale)
        let reach = kernel.radius * stretch
        let widest = kernel == .nearest ? 1 : 2 * Int(reach.rounded(.up)) + 3
        all = try Scratch(Tap(index: 0, weight: 0), count: count * widest)
        starts = try Scratch(0, count: count + 1)
        for result in 0..<count {
            let center = (Double(result) + 0.5) * scale
            let start = unsafe starts.elements[result]
            let room = unsafe UnsafeMutableBufferPointer(rebasing: all.elements[start..<start + widest])
            var used = 1
            if kernel == .nearest {
                unsafe room[0] = Tap(index: Int32(min(sourceCount - 1, Int(center))), weight: 1)
            } else {
                let last = sourceCount - 1
                used = unsafe kernel.weigh(around: center, reach, stretch, upTo: last, into: room)
            }
            unsafe starts.elements[result + 1] = start + used
        }
    }

    /// Valid as long as the axis.
    func taps(of result: Int) -> UnsafeMutableBufferPointer<Tap> {
        let range = unsafe starts.elements[result]..<starts.elements[result + 1]
        return unsafe UnsafeMutableBufferPointer(rebasing: all.elements[range])
    }
}

extension DeepKernel {
    /// Writes the pixels around a position, with weights whose sum is 1.
    ///
    /// - Returns: Their number.
    fileprivate func weigh(
        around center: Double,
        _ reach: Double,
        _ stretch: Double,
        upTo last: Int,
        into room: UnsafeMutableBufferPointer<DeepAxis.Tap>
    ) -> Int {
        let indices = Int((center - reach).rounded(.down))...Int((center + reach).rounded(.up))
        func weight(_ index: Int) -> Double { self.weight((Double(index) + 0.5 - center) / stretch) }
        let sum = indices.reduce(0.0) { $0 + weight($1) }
        var count = 0
        for index in indices {
            let share = weight(index)
            guard share != 0 else { continue }
            // Beyond the edge the outermost pixels are repeated.
            let place = Int32(min(last, max(0, index)))
            unsafe room[count] = DeepAxis.Tap(index: place, weight: Float(share / sum))
            count += 1
        }
        return count
    }
}

/// Temporary values of a computation; a failed allocation is an error.
@safe final class Scratch<Element: BitwiseCopyable> {
    private let memory: PixelMemory
    /// Valid as long as this object.
    let elements: UnsafeMutableBufferPointer<Element>

    init(_ element: Element, count: Int) throws(CodecFailure) {
        let byteCount = count * MemoryLayout<Element>.stride
        guard let memory = PixelMemory(byteCount: byteCount) else {
            throw .outOfMemory(byteCount: byteCount)
        }
        self.memory = memory
        unsafe elements = memory.bytes.initializeMemory(as: Element.self, repeating: element)
    }

    deinit {
        memory.deallocate()
    }
}
