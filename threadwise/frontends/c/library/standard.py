"""Functions of the C library and of POSIX that the table does not describe.

Their results are values that C, or the system, determines: any value stands for one that is not
computed. Only those matter that get and return numbers; the others are limits anyhow. Functions of
floating point for other types are known by the name they are made from.
"""

from __future__ import annotations

import re
from importlib.resources import files

from threadwise.frontends.c import tree
from threadwise.frontends.c.library.read import own_table

_LIST = """
    acoshl acosl arc4random arc4random_uniform asinhl asinl atan2l atanhl atanl btowc cbrtl
    ceill clearenv close close_range copysignl coshl cosl daddl daemon ddivl dfmal dmull drem
    dremf dreml dsqrtl dsubl dup dup2 dup3 dysize epoll_create epoll_create1 erand48 erfcl erfl
    eventfd eventfd_write exp10 exp10f exp10l exp2l expl expm1l fabsl fadd faddl fallocate
    fallocate64 fchdir fchmod fchown fcloseall fcntl fcntl64 fdatasync fdiml fdiv fdivl
    feclearexcept fedisableexcept feenableexcept fegetexcept fegetround feraiseexcept
    fesetexcept fesetround fetestexcept ffma ffmal ffsl ffsll finite finitef finitel flock
    floorl fmaf fmal fmaximum fmaximum_mag fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numl
    fmaximum_magf fmaximum_magl fmaximum_num fmaximum_numf fmaximum_numl fmaximumf fmaximuml
    fmaxl fmaxmag fmaxmagf fmaxmagl fminimum fminimum_mag fminimum_mag_num fminimum_mag_numf
    fminimum_mag_numl fminimum_magf fminimum_magl fminimum_num fminimum_numf fminimum_numl
    fminimumf fminimuml fminl fminmag fminmagf fminmagl fmodl fmul fmull fpathconf fromfp
    fromfpf fromfpl fromfpx fromfpxf fromfpxl fsqrt fsqrtl fsub fsubl fsync ftruncate
    ftruncate64 futimens futimes gamma gammaf gammal getchar_unlocked getdtablesize getegid
    geteuid getgid gethostid getpgid getpgrp getpriority getpt getsid gettid getuid getumask
    getwchar getwchar_unlocked grantpt group_member gsignal hcreate htonl htons hypotl ilogb
    ilogbf ilogbl imaxabs inet6_option_space inet6_rth_space inotify_init
    inotify_init1 inotify_rm_watch isascii isatty isctype isfdtype isinf isinff isinfl isnan
    isnanf isnanl iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower
    iswprint iswpunct iswspace iswupper iswxdigit j0 j0f j0l j1 j1f j1l jn jnf jnl jrand48
    killpg ldexpf ldexpl lgammal listen llogb llogbf llogbl llrintf llrintl llroundf llroundl
    lockf log10l log1pl log2l logbl logl lrintf lrintl lroundf lroundl lseek lseek64 mlockall
    mq_close mrand48 msgget munlockall nearbyintl nextafterl nextdown nextdownf nextdownl
    nexttoward nexttowardf nexttowardl nextup nextupf nextupl nice nrand48 ntohl ntohs pipe2
    pkey_alloc pkey_free pkey_get pkey_set posix_fadvise posix_fadvise64 posix_fallocate
    posix_fallocate64 posix_openpt powl prctl process_mrelease putchar_unlocked putwchar
    putwchar_unlocked re_set_syntax readahead remainderl rintl roundeven roundevenf roundevenl
    roundl scalb scalbf scalbl scalbln scalblnf scalblnl scalbn scalbnf scalbnl sched_getcpu
    sched_getscheduler semctl semget setegid seteuid setgid sethostid setlogmask setns setpgid
    setpgrp setpriority setregid setresgid setresuid setreuid setsid setuid shmget shutdown
    sigblock siggetmask sighold sigignore siginterrupt significand significandf significandl
    sigpause sigrelse sigsetmask sinhl sinl sockatmark socket socketpair sqrtl sync_file_range
    syncfs tanhl tanl tcdrain tcflow tcflush tcgetpgrp tcgetsid tcsendbreak tcsetpgrp tee
    tgammal tgkill timerfd_create toascii towlower towupper truncl ttyslot ualarm ufromfp
    ufromfpf ufromfpl ufromfpx ufromfpxf ufromfpxl ulimit umask unlockpt unshare vhangup wctob
    wcwidth y0 y0f y0l y1 y1f y1l yn ynf ynl
"""
_NAMES = frozenset(_LIST.split())
_SUFFIX = re.compile(r"(?<=\w)f(?:16|32|64|128)x?$")
_HEADERS = ("/usr/include/", "/usr/lib/", str(files("threadwise.frontends.c") / "headers"))


def is_standard(function: tree.Function) -> bool:
    """Whether a function without description is one of the C library or of POSIX."""
    base = _SUFFIX.sub("", function.name)
    named = function.name in _NAMES or base in _NAMES or base in own_table()
    return named or function.span.path.startswith(_HEADERS)
