// In a search tree under a lock smaller keys are on the left; two threads insert.
//
// expect assertions: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *tree;

extern int __VERIFIER_nondet_int(void);

static void *work(void *argument)
{
    struct node *mine = malloc(sizeof *mine);
    mine->key = __VERIFIER_nondet_int();
    mine->left = NULL;
    mine->right = NULL;
    pthread_mutex_lock(&lock);
    struct node **at = &tree;
    while (*at != NULL)
        at = mine->key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = mine;
    if (tree->left != NULL)
        assert(tree->left->key < tree->key);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
