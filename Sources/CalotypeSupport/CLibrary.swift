// The system's C library, for all modules: the one place that says which it is. Everything above imports
// CalotypeSupport, so that another system is ported here and where a call is missing, and nowhere else.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Bionic)
@_exported public import Bionic
#elseif canImport(Darwin)
@_exported public import Darwin
#else
#error("Calotype needs a C library with POSIX calls")
#endif
