// Classes of characters.
//
// expect assertions: SAFE

#include <assert.h>
#include <ctype.h>

int main(void)
{
    assert(isalpha('a') && isalpha('Z') && !isalpha('1') && !isalpha('['));
    assert(isdigit('0') && isdigit('9') && !isdigit('a'));
    assert(isalnum('a') && isalnum('7') && !isalnum(' '));
    assert(isblank(' ') && isblank('\t') && !isblank('\n'));
    assert(iscntrl('\n') && iscntrl(127) && !iscntrl('a') && !iscntrl(-1));
    assert(isgraph('!') && !isgraph(' ') && isprint(' ') && !isprint(127));
    assert(islower('a') && !islower('A') && isupper('A') && !isupper('a'));
    assert(ispunct('!') && !ispunct('a') && !ispunct(' '));
    assert(isspace('\v') && isspace('\r') && !isspace('x'));
    assert(isxdigit('f') && isxdigit('A') && isxdigit('0') && !isxdigit('g'));
    assert(tolower('A') == 'a' && tolower('1') == '1' && toupper('z') == 'Z' && toupper('Z') == 'Z');
    return 0;
}
