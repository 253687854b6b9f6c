from purex.jit import njit


@njit
def best_arm(mu, given):
    best = 0
    for k in range(1, len(mu)):
        if mu[k] > mu[best]:
            best = k
    return best


@njit
def thresholding(mu, given):
    mask = 0
    for k in range(len(mu)):
        if mu[k] >= given.numbers[0]:
            mask |= 1 << k
    return mask
