package tile

// atomicKinds says which dtypes the forms of Atomic take, of those with 4 or 8 bytes.
var atomicKinds = [...]Kind{
	AtomicAdd:    kindReal,
	AtomicSub:    kindReal,
	AtomicMin:    kindReal,
	AtomicMax:    kindReal,
	AtomicNanMin: KindFloat,
	AtomicNanMax: KindFloat,
	AtomicAnd:    KindInt | KindUint,
	AtomicOr:     KindInt | KindUint,
	AtomicXor:    KindInt | KindUint,
	AtomicExch:   kindReal,
	AtomicInc:    KindUint,
	AtomicDec:    KindUint,
}

// AcceptsAtomic reports whether a form of Atomic takes elements of a dtype.
func (f Form) AcceptsAtomic(t DType) bool {
	return int(f) < len(atomicKinds) && t.Is(atomicKinds[f]) && t.Size() >= 4
}

// EvalAtomic returns what an Atomic leaves of an element: its definition.
func EvalAtomic(f Form, old, v Scalar) Scalar {
	t := old.Type
	isNaN := func(s Scalar) bool { return t.Is(KindFloat) && s.Float() != s.Float() }
	less := func(a, b Scalar) bool { return Eval(Lt, Bool, a, b).Bits[0] != 0 }
	pick := func(takes bool) Scalar {
		if takes {
			return v
		}
		return old
	}
	switch f {
	case AtomicAdd:
		return Eval(Add, t, old, v)
	case AtomicSub:
		return Eval(Sub, t, old, v)
	case AtomicMin:
		return pick(less(v, old))
	case AtomicMax:
		return pick(less(old, v))
	case AtomicNanMin:
		return pick(!isNaN(v) && (isNaN(old) || less(v, old)))
	case AtomicNanMax:
		return pick(!isNaN(v) && (isNaN(old) || less(old, v)))
	case AtomicAnd:
		return Eval(And, t, old, v)
	case AtomicOr:
		return Eval(Or, t, old, v)
	case AtomicXor:
		return Eval(Xor, t, old, v)
	case AtomicInc:
		if old.Uint() >= v.Uint() {
			return UintScalar(t, 0)
		}
		return UintScalar(t, old.Uint()+1)
	case AtomicDec:
		if old.Uint() == 0 || old.Uint() > v.Uint() {
			return v
		}
		return UintScalar(t, old.Uint()-1)
	}
	return v // AtomicExch
}
