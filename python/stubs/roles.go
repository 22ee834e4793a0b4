package main

import (
	"fmt"
	"slices"
	"strings"

	"weft/arrays"
)

// roles says how the arguments of each name are converted.
var roles = map[rune]string{
	// array_like: arrays, numbers, lists
	'a': `A a a1 a2 a_max a_min append ar ar1 ar2 arr arr1 arr2 array aweights b condition element fill_value fp fweights
		ind indices m mask max mean min obj object p prepend prototype q self sorter src start test_elements v val vals value values
		weights x x1 x2 xp y`,
	// a sequence of array_likes
	'l': `arrays arys choicelist choices condlist keys operands tup xi`,
	// a dtype
	'd': `dtype`,
	// an array that is written to
	'o': `dst out out1 out2`,
	// a plain value: a number, a string, None, or a tuple of such
	'v': `M N UPLO d assume_unique atol axes axis axis1 axis2 axisa axisb axisc base bias bins casting compute_uv copy correction
		ddof decimals density descending destination device dx endpoint equal_nan full_matrices hermitian high include_initial
		increasing indexing indices_or_sections initial invert k keepdims kind kth left like low method minlength mode n nan ndmax ndmin
		neginf norm num offset optimize ord order overwrite_input pad_width period posinf range rcond repeats reps
		retstep return_counts return_index return_inverse returned right rowvar rtol s shape shift side signature size source sparse
		sorted stable start_or_stop step stop subok subscripts tol upper trim where width writeable`,
}

// exceptions are the roles of arguments that mean something else than their name says.
var exceptions = map[string]rune{
	"linalg.cond.p": 'v',
	// texts are among the array_likes
	"einsum.operands": 't',
	"linspace.stop":   'a',
	"digitize.bins":   'a',
	"histogram.bins":  'a',
	"logspace.stop":   'a',
	"geomspace.stop":  'a',
	"copyto.where":    'a',
	// what is no array is refused
	"astype.x": 'o',
	// only arrays are written to
	"put.a":              'o',
	"putmask.a":          'o',
	"place.arr":          'o',
	"put_along_axis.arr": 'o',

	"random.Generator.random.self":               'v',
	"random.Generator.standard_normal.self":      'v',
	"random.Generator.standard_exponential.self": 'v',
	"random.Generator.integers.self":             'v',
}

// views are the functions whose results may be views of their array_likes: these have the roles s and L instead of
// a and l, so that memory which others own is shared.
const views = ` diag meshgrid reshape ravel transpose permute_dims matrix_transpose swapaxes moveaxis squeeze expand_dims broadcast_to flip flipud
	fliplr diagonal linalg.diagonal real imag atleast_1d atleast_2d atleast_3d `

func roleOf(function string, p arrays.Param) (rune, error) {
	role, err := plainRole(function, p)
	if slices.Contains(strings.Fields(views), function) {
		switch role {
		case 'a':
			role = 's'
		case 'l':
			role = 'L'
		}
	}
	return role, err
}

// plainRole is the role that a parameter has by its name.
func plainRole(function string, p arrays.Param) (rune, error) {
	if role, ok := exceptions[function+"."+p.Name]; ok {
		return role, nil
	}
	if strings.HasSuffix(function, ".at") { // ufunc.at(a, index, b)
		return map[string]rune{"a": 'o', "indices": 'i', "b": 'a'}[p.Name], nil
	}
	for role, names := range roles {
		if slices.Contains(strings.Fields(names), p.Name) {
			return role, nil
		}
	}
	return 0, fmt.Errorf("parameter %q of %s has no role; add it to roles in python/stubs/roles.go", p.Name, function)
}

// usual are the parameters whose default says "as always" and need not be told to Go.
const usual = " where subok device like "

// defaultOf is the default as the code has it.
func defaultOf(p arrays.Param) string {
	switch {
	case p.Default == "":
		return ""
	case p.Positional, strings.HasPrefix(p.Default, "'"), strings.Contains(usual, " "+p.Name+" "):
		return "_NoValue"
	}
	return p.Default
}
