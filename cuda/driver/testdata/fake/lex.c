/* PTX text to tokens (PTX ISA, "Syntax"). */
#include "machine.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fake_error(parser *p, uint32_t line, const char *format, ...) {
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	p->errors++;
	if (!p->logs.errors || p->log_used >= p->logs.error_room)
		return;
	int n = snprintf(p->logs.errors + p->log_used, p->logs.error_room - p->log_used, "ptxas application ptx input, line %u; error   : %s\n", line, text);
	p->log_used += n > 0 ? (size_t)n : 0;
}

void *fake_grow(void *at, int *room, int count, size_t size) {
	if (count < *room)
		return at;
	*room = *room ? 2 * *room : 16;
	at = realloc(at, (size_t)*room * size);
	if (!at)
		abort();
	return at;
}

static bool name_start(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%'; }
static bool name_more(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* skip passes blanks and comments. */
static void skip(parser *p) {
	for (;;) {
		if (p->at >= p->end)
			return;
		if (*p->at == '\n') {
			p->line++;
			p->at++;
		} else if (isspace((unsigned char)*p->at)) {
			p->at++;
		} else if (p->at[0] == '/' && p->at[1] == '/') {
			while (p->at < p->end && *p->at != '\n')
				p->at++;
		} else if (p->at[0] == '/' && p->at[1] == '*') {
			for (p->at += 2; p->at < p->end && !(p->at[0] == '*' && p->at[1] == '/'); p->at++)
				p->line += *p->at == '\n';
			p->at = p->at + 2 > p->end ? p->end : p->at + 2;
		} else {
			return;
		}
	}
}

static void number(parser *p, token *t) {
	const char *s = t->at;
	char *end;
	if (s[0] == '0' && strchr("fFdD", s[1]) && s[1]) {
		int digits = s[1] == 'f' || s[1] == 'F' ? 8 : 16;
		t->kind = digits == 8 ? K_FLOAT : K_DOUBLE;
		int n = 0;
		for (; isxdigit((unsigned char)s[2 + n]); n++)
			t->value = t->value << 4 | (uint64_t)(isdigit((unsigned char)s[2 + n]) ? s[2 + n] - '0' : (s[2 + n] | 32) - 'a' + 10);
		if (n != digits)
			fake_error(p, p->line, "Parsing error near '%.*s': a float constant has %d hexadecimal digits", 2 + n, s, digits);
		p->at = s + 2 + n;
		return;
	}
	t->kind = K_INTEGER;
	if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
		t->value = strtoull(s + 2, &end, 2);
	else
		t->value = strtoull(s, &end, 0);
	if (*end == '.' || ((*end == 'e' || *end == 'E') && !(s[0] == '0' && (s[1] | 32) == 'x'))) {
		union { double d; uint64_t u; } v = {.d = strtod(s, &end)};
		t->kind = K_DECIMAL;
		t->value = v.u;
	} else if (*end == 'U' || *end == 'u') {
		end++;
	}
	p->at = end;
}

void fake_next(parser *p) {
	const char *before = p->at;
	skip(p);
	token *t = &p->token;
	*t = (token){.kind = K_END, .at = p->at, .line = p->line, .joined = p->at == before};
	if (p->at >= p->end)
		return;
	char c = *p->at;
	if (name_start(c)) {
		t->kind = K_NAME;
		for (p->at++; p->at < p->end && name_more(*p->at); p->at++)
			;
	} else if (isdigit((unsigned char)c)) {
		number(p, t);
	} else if (c == '"') {
		t->kind = K_STRING;
		for (p->at++; p->at < p->end && *p->at != '"' && *p->at != '\n'; p->at++)
			;
		p->at += p->at < p->end;
	} else {
		t->kind = K_MARK;
		p->at++;
	}
	t->length = (size_t)(p->at - t->at);
}

bool fake_is(const parser *p, const char *mark) {
	return p->token.length == strlen(mark) && !memcmp(p->token.at, mark, p->token.length) && p->token.kind != K_STRING && p->token.kind != K_END;
}

bool fake_take(parser *p, const char *mark) {
	if (!fake_is(p, mark))
		return false;
	fake_next(p);
	return true;
}

/* fake_expect ends the compilation where the mark is missing, as a syntax error does. */
bool fake_expect(parser *p, const char *mark) {
	if (fake_take(p, mark))
		return true;
	if (!p->aborted)
		fake_error(p, p->token.line, "Parsing error near '%.*s': syntax error, expected '%s'", (int)p->token.length, p->token.at, mark);
	p->aborted = true;
	return false;
}
