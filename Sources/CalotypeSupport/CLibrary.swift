// The system's C library, for all modules. Only this file names it, and everything above imports
// CalotypeSupport: a port to another system changes this file and the places where a call is missing.
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
