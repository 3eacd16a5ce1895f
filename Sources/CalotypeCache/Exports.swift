@_exported public import CalotypeCodecs
@_exported public import CalotypeCore
