/* The words of an instruction against the rows of the table. */
#include "machine.h"
#include "parse.h"
#include <string.h>

static const struct { const char *text; } word_texts[WORDS] = {
#define WORD(id, t) [W_##id] = {t},
#include "words.inc"
#undef WORD
};

/* alternative says whether one of "a|b|c" (n bytes) is the word. */
static bool alternative(const char *slot, size_t n, const spelled *w) {
	while (n) {
		size_t k = 0;
		while (k < n && slot[k] != '|')
			k++;
		if (k == w->length && !memcmp(slot, w->at, k))
			return true;
		k += k < n;
		slot += k;
		n -= k;
	}
	return false;
}

/* fake_match holds words against a row; matched gets which words there are, types the types in order. */
bool fake_match(const form *row, const spelled *list, int count, words *matched, type types[4], int *type_count) {
	*matched = (words){{0}};
	*type_count = 0;
	int at = 0;
	for (const char *slot = row->words; *slot;) {
		size_t n = strcspn(slot, " ");
		bool optional = slot[n - 1] == '?';
		if (at < count && alternative(slot, n - optional, &list[at])) {
			type t = fake_type_named(list[at].at, list[at].length);
			if (t) {
				if (*type_count < 4)
					types[(*type_count)++] = t;
			} else {
				matched->bits[list[at].id / 64] |= 1ull << (list[at].id % 64);
			}
			at++;
		} else if (!optional) {
			return false;
		}
		slot += n;
		slot += *slot == ' ';
	}
	return at == count;
}

/* fake_word_id finds a word; WORDS where there is none. */
int fake_word_id(const char *at, size_t n) {
	for (int i = 0; i < WORDS; i++)
		if (word_texts[i].text[0] == at[0] && !strncmp(word_texts[i].text, at, n) && !word_texts[i].text[n])
			return i;
	return WORDS;
}
